import { unzipSync } from 'fflate';
import { describe, expect, it } from 'vitest';
import { buildDocx, field, paragraph, relationship, zip } from '../../../test/support/documents/build-docx.ts';
import { prepareOffice } from '../office/prepare.ts';
import type { PreparedDocument } from '../prepared-document.ts';
import { convertDocx } from './convert.ts';

const chunk = '<w:altChunk r:id="c1"/>';
const embedding = (body: string, target: string, content: string | Uint8Array): Buffer =>
  buildDocx(body, [relationship('c1', 'aFChunk', target)], { 'word/chunk.htm': content });
const html = '<p>Embedded</p>';
const word = buildDocx(paragraph('Embedded'));
const layouts: Record<string, (file: Buffer) => Promise<PreparedDocument>> = {
  faithful: (file) => prepareOffice('docx', file, true),
  semantic: (file) => convertDocx(file, null, true),
};

describe.each(Object.entries(layouts))('With the layout %s, a Word document', (layout, prepare) => {
  const leftOut = async (file: Buffer) =>
    ((await prepare(file)).warnings ?? []).filter((one) => 'content' in one && one.content === 'embedded documents');

  it('has a warning of embedded HTML that is not printed', async () => {
    const file = embedding(paragraph('Text') + chunk + chunk, '/word/chunk.htm', html);
    expect(await leftOut(file)).toEqual([{ kind: 'content_left_out', content: 'embedded documents', count: 2 }]);
  });

  it.each(['chunk.htm', '/word/chunk.htm', 'missing.htm'])('is refused if it has nothing else: %s', async (target) => {
    await expect(prepare(embedding(`<w:p/>${chunk}`, target, html))).rejects.toMatchObject({
      fields: { name: 'invalid_docx', extra: { details: 'text only in embedded documents' } },
    });
  });

  it('may embed Word documents, which LibreOffice prints', async () => {
    expect(await leftOut(embedding(paragraph('Text') + chunk, '../word/chunk.htm', word))).toHaveLength(
      layout === 'faithful' ? 0 : 1,
    );
    if (layout === 'faithful') expect((await prepare(embedding(chunk, 'chunk.htm', word))).office).toBeDefined();
  });

  it('may be empty', async () => expect(await leftOut(buildDocx('<w:p/>'))).toEqual([]));
});

describe('A Word document in a Word document, with the layout faithful,', () => {
  const reading = buildDocx(`<w:p>${field('INCLUDETEXT "/etc/passwd"', 'Stored')}</w:p>`, [
    relationship('r1', 'image', 'https://example.com/a.png', true),
  ]);
  const cleaned = async (file: Buffer): Promise<Record<string, Uint8Array>> =>
    unzipSync((await prepareOffice('docx', file, true)).office!.file);
  const textOf = (parts: Record<string, Uint8Array>, path: string): string => Buffer.from(parts[path] ?? []).toString();

  it.each([
    ['is', embedding(chunk, 'chunk.htm', reading)],
    [
      'named as an image is',
      buildDocx(chunk, [relationship('c1', 'image', 'chunk.htm')], { 'word/chunk.htm': reading }),
    ],
  ])('%s cleaned like the document around it', async (_, file) => {
    const embedded = unzipSync((await cleaned(file))['word/chunk.htm']!);
    expect(textOf(embedded, 'word/document.xml')).toContain('Stored');
    expect(textOf(embedded, 'word/document.xml')).not.toContain('INCLUDETEXT');
    expect(textOf(embedded, 'word/_rels/document.xml.rels')).not.toContain('example.com');
  });

  it('is cleaned in an embedded document too', async () => {
    const outer = await cleaned(embedding(chunk, 'chunk.htm', embedding(chunk, 'chunk.htm', reading)));
    const inner = unzipSync(unzipSync(outer['word/chunk.htm']!)['word/chunk.htm']!);
    expect(textOf(inner, 'word/document.xml')).not.toContain('INCLUDETEXT');
  });

  it.each([
    ['damaged', Buffer.from(reading).fill(0, 0, reading.length - 22)],
    ['an archive with other bytes before it', Buffer.concat([Buffer.from('MZ'), reading])],
  ])('is refused if it is %s', async (_, embedded) => {
    await expect(cleaned(embedding(chunk, 'chunk.htm', embedded))).rejects.toMatchObject({
      fields: { message: expect.stringContaining('word/chunk.htm'), extra: { details: 'damaged zip archive' } },
    });
  });

  it('may stand beside objects that cannot be read, which are printed from their images', async () => {
    const object = Buffer.concat([Buffer.alloc(100, 'd'), reading, Buffer.alloc(100)]);
    const relationships = [
      relationship('c1', 'aFChunk', 'chunk.docx'),
      relationship('o1', 'oleObject', 'embeddings/object.bin'),
    ];
    const files = { 'word/chunk.docx': word, 'word/embeddings/object.bin': object };
    const parts = await cleaned(buildDocx(chunk, relationships, files));
    expect([Object.keys(unzipSync(parts['word/chunk.docx']!)), parts['word/embeddings/object.bin']]).toEqual([
      expect.arrayContaining(['word/document.xml']),
      undefined,
    ]);
  });

  it('counts toward the limits of the whole file', async () => {
    const many = zip(Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`word/media/${index}.png`, ''])));
    const files = { 'word/a.docx': many, 'word/b.docx': many, 'word/c.docx': many };
    const names = ['a', 'b', 'c'];
    const file = buildDocx(
      names.map((name) => `<w:altChunk r:id="${name}"/>`).join(''),
      names.map((name) => relationship(name, 'aFChunk', `${name}.docx`)),
      files,
    );
    await expect(cleaned(file)).rejects.toMatchObject({
      fields: { extra: { details: { reason: 'too many files when unpacked' } } },
    });
  });

  it('stays as it is if it is an object, which LibreOffice prints from its image', async () => {
    const file = buildDocx(paragraph('Text'), [], { 'word/embeddings/a.docx': reading });
    expect(Buffer.from((await cleaned(file))['word/embeddings/a.docx']!).equals(reading)).toBe(true);
  });
});
