import { describe, expect, it } from 'vitest';
import { buildDocx, paragraph, relationship } from '../../../test/support/documents/build-docx.ts';
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
