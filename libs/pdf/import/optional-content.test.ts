import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ApiError } from '#contracts/http/api-error.ts';
import { readOperations } from '../content-stream.ts';
import { buildPdf, onePage, type PdfObjectSource } from '../testing/build-pdf.ts';
import { importedText } from '../testing/imported-text.ts';

const group = (title: string, more = ''): string => `<< /Type /OCG /Name (${title}) ${more} >>`;
const shown = (text: string): string => `BT /F1 9 Tf 9 9 Td (${text}) Tj ET`;
const font = '/Font << /F1 5 0 R >>';

/** A page with the groups 10 (off by default), 11 and 12, and with their properties and XObjects. */
const layered = (
  content: string,
  { resources = '', page = '', defaults = '/OFF [10 0 R]', objects = {} }: Record<string, unknown> = {},
): Uint8Array =>
  buildPdf({
    ...onePage,
    1: `<< /Type /Catalog /Pages 2 0 R /OCProperties << /OCGs [10 0 R 11 0 R 12 0 R] /D << ${String(defaults)} >> >> >>`,
    3:
      `<< /Type /Page /Parent 2 0 R /Contents 4 0 R ${String(page)} /Resources << ${font} /Properties << /Off 10 0 R ` +
      `/On 11 0 R /Member 13 0 R >> ${String(resources)} >> >>`,
    4: { dictionary: '', stream: content },
    10: group('off group'),
    11: group('on group'),
    12: group('other group'),
    ...(objects as Record<number, PdfObjectSource>),
  });
const member = (entries: string, defaults?: string): Uint8Array =>
  layered(`/OC /Member BDC ${shown('member')} EMC`, {
    objects: { 13: `<< /Type /OCMD ${entries} >>`, 14: '[/Or 10 0 R [/Not 11 0 R]]', 15: '[/And 15 0 R 10 0 R]' },
    ...(defaults === undefined ? {} : { defaults }),
  });
const firstStreamIn = (pdf: string): string => /(?<=>\nstream\n)[^]*?(?=\nendstream)/.exec(pdf)![0];
const form = (dictionary: string, stream: string): PdfObjectSource => ({
  dictionary: `/Type /XObject /Subtype /Form /BBox [0 0 99 99] ${dictionary}`,
  stream,
});

describe('A part of which a viewer hides layers', () => {
  it('has no hidden content, and no names of layers', async () => {
    const content = `${shown('first')} /OC /Off BDC ${shown('hidden')} EMC /OC /On BDC ${shown('second')} EMC`;
    const text = await importedText(layered(content));
    expect(text).toMatch(/\(first\)[^]*\(second\)/);
    expect(text).not.toMatch(/hidden|group|OCG|BDC|EMC/);
  });

  it('has no hidden forms, images and annotations, also not in forms and patterns', async () => {
    const image = '/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8';
    const inner = `/Resources << ${font} /Properties << /P 10 0 R >> /XObject << /X 16 0 R /Y 17 0 R >> >>`;
    const stamp = (appearance: number, more = ''): string =>
      `<< /Subtype /Stamp /Rect [0 0 9 9] /F 4 /AP << /N ${appearance} 0 R >> ${more} >>`;
    const drawn = `/OC /P BDC ${shown('hidden in %')} /Y Do EMC /X Do ${shown('visible in %')}`;
    const text = await importedText(
      layered('/F Do /X Do /OC /Off BDC /Y Do EMC /Pattern cs /T scn 0 0 9 9 re f', {
        resources: '/XObject << /F 18 0 R /X 16 0 R /Y 17 0 R >> /Pattern << /T 19 0 R >>',
        page:
          `/Annots [${stamp(20)} ${stamp(21, '/OC 10 0 R')} ${stamp(16)} ` +
          '<< /Subtype /Link /Rect [0 0 9 9] /OC 10 0 R /A << /S /URI /URI (https://hidden.example/) >> >>]',
        objects: {
          16: form('/OC 10 0 R', shown('hidden form')),
          17: { dictionary: image, stream: '\u0000hidden image' },
          18: form(inner, drawn.replaceAll('%', 'form')),
          19: {
            dictionary: `/PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 9 9] /XStep 9 /YStep 9 ${inner}`,
            stream: drawn.replaceAll('%', 'pattern'),
          },
          20: form(inner, drawn.replaceAll('%', 'annotation')),
          21: form('', shown('hidden annotation')),
        },
      }),
    );
    for (const place of ['form', 'pattern', 'annotation']) expect(text).toContain(`(visible in ${place})`);
    expect(text).not.toMatch(/hidden|\/OC/);
  });

  it('keeps what a form without resources draws with those of the page', async () => {
    const objects = { 16: form('', `/OC /Off BDC ${shown('hidden')} EMC /Inner Do`), 17: form('', shown('inner')) };
    const text = await importedText(layered('/F Do', { resources: '/XObject << /F 16 0 R /Inner 17 0 R >>', objects }));
    expect(text).toContain('(inner)');
    expect(text).not.toContain('hidden');
  });

  it.each([
    ['hides groups that are off', '/OFF [10 0 R]', false],
    ['shows groups that are on', '/OFF [11 0 R]', true],
    ['shows groups without a default', '', true],
    ['hides all groups if that is the state at first', '/BaseState /OFF', false],
    ['shows those that are switched on after it', '/BaseState /OFF /ON [10 0 R]', true],
    ['follows what a group says for viewing', '/AS [<< /Event /View /Category [/View] /OCGs [10 0 R] >>]', false],
    ['does not follow it for printing', '/AS [<< /Event /Print /Category [/View] /OCGs [10 0 R] >>]', true],
  ])('%s', async (_, defaults, isVisible) => {
    const objects = { 10: group('off group', '/Usage << /View << /ViewState /OFF >> >>') };
    const text = await importedText(layered(`/OC /Off BDC ${shown('content')} EMC`, { defaults, objects }));
    expect(text.includes('(content)')).toBe(isVisible);
  });

  it.each([
    ['/OCGs 10 0 R', false],
    ['/OCGs [10 0 R 11 0 R]', true],
    ['/OCGs [10 0 R 11 0 R] /P /AnyOn', true],
    ['/OCGs [10 0 R 11 0 R] /P /AllOn', false],
    ['/OCGs [10 0 R 11 0 R] /P /AnyOff', true],
    ['/OCGs [11 0 R 12 0 R] /P /AnyOff', false],
    ['/OCGs [10 0 R 11 0 R] /P /AllOff', false],
    ['/OCGs [10 0 R] /P /AllOff', true],
    ['/OCGs [] /P /AllOff', true],
    ['/OCGs [99 0 R null] /P /AllOff', true],
    ['/VE [/Not 10 0 R]', true],
    ['/VE [/Not 11 0 R] /OCGs [11 0 R]', false],
    ['/VE [/And 11 0 R 12 0 R]', true],
    ['/VE [/And 11 0 R 14 0 R]', false],
    ['/VE [/Or 10 0 R [/And 11 0 R 12 0 R]]', true],
    ['/VE 15 0 R', false],
  ])('follows the membership %s', async (entries, isVisible) => {
    expect((await importedText(member(entries))).includes('(member)')).toBe(isVisible);
  });

  it('follows a membership that needs a group to be off, also if all are on', async () => {
    expect(await importedText(member('/VE [/Not 11 0 R]', ''))).not.toContain('(member)');
  });

  it('keeps the graphics state and the places of text', async () => {
    const painted = '0 0 5 5 re W f (b) \' 1 2 (c) " BI /W 1 ID x EI /S sh /Secret MP';
    const text = await importedText(
      layered(`/OC /Off BDC q 1 0 0 RG ${painted} /Span << /ActualText (d) >> BDC EMC EMC`),
    );
    const content = firstStreamIn(text).trim().split(/\s+/).join(' ');
    expect(content).toBe('q q 1 0 0 RG 0 0 5 5 re W n T* 1 Tw 2 Tc T* Q Q');
  });

  it('has no hidden content after an image within the content, whatever the bytes of the image', async () => {
    const image = 'BI /W 2 /H 2 /BPC 8 /CS /G';
    for (const data of ['ID \u0080 EI', '/F /AHx ID ffffffff>'])
      for (const end of ['EI', '\nEI']) {
        const content = `${image} ${data}${end} /F Do /OC /Off BDC ${shown('hidden')} EMC`;
        const objects = { 16: form('', shown('form')) };
        const text = await importedText(layered(content, { resources: '/XObject << /F 16 0 R >>', objects }));
        expect(text).toContain(`${data}${end} /F Do`);
        expect(text).toContain('(form)');
        expect(text).not.toContain('hidden');
      }
  });

  it('is rejected if an image within the content has no end, also in a form', async () => {
    const content = `BI /W 9 /H 9 /F /Fl ID \u0001 /OC /Off BDC ${shown('hidden')} EMC`;
    const inForm = layered('/F Do', { resources: '/XObject << /F 16 0 R >>', objects: { 16: form('', content) } });
    for (const pdf of [layered(content), inForm])
      await expect(importedText(pdf)).rejects.toMatchObject({ fields: { name: 'invalid_pdf' } });
  });

  it('is rejected if the place of visible text follows from hidden text', async () => {
    const line = (between: string): Uint8Array =>
      layered(`BT /F1 9 Tf /OC /Off BDC (hidden) Tj EMC ${between} (visible) Tj ET`);
    await expect(importedText(line(''))).rejects.toThrow(
      expect.objectContaining({ fields: expect.objectContaining({ name: 'invalid_pdf' }) as unknown }) as ApiError,
    );
    for (const between of ['5 0 Td', '1 0 0 1 5 5 Tm', 'T*', 'ET BT'])
      expect(await importedText(line(between))).toContain('(visible)');
  });

  type Node = string | { tag: string; inside: Node[] };
  const { nodes } = fc.letrec<{ nodes: Node[]; node: Node }>((tie) => ({
    node: fc.oneof(
      fc.constantFrom('text', 'f', '1 w', 'q', 'Q'),
      fc.record({ tag: fc.constantFrom('/OC /Off', '/OC /On', '/Span /Other', '/OC /Member'), inside: tie('nodes') }),
    ),
    nodes: fc.array(tie('node'), { maxLength: 4 }),
  }));
  const flat = (some: Node[], isVisible: boolean): { source: string; texts: number; kept: string[] } => {
    const all = some.map((node) => {
      if (node === 'text') return { source: shown('x'), texts: Number(isVisible), kept: [] };
      if (typeof node === 'string') return { source: node, texts: 0, kept: [node === 'f' && !isVisible ? 'n' : node] };
      const inner = flat(node.inside, isVisible && node.tag !== '/OC /Off');
      return { ...inner, source: `${node.tag} BDC ${inner.source} EMC` };
    });
    return {
      source: all.map(({ source }) => source).join(' '),
      texts: all.reduce((sum, { texts }) => sum + texts, 0),
      kept: all.flatMap(({ kept }) => kept),
    };
  };

  it('has all that is visible, however marks are nested', async () => {
    await fc.assert(
      fc.asyncProperty(nodes, async (tree) => {
        const { source, texts, kept } = flat(tree, true);
        const content = firstStreamIn(await importedText(layered(`0 g ${source}`)));
        const operators = [...readOperations(content)].map(({ operator }) => operator);
        expect(operators.filter((one) => one === 'Tj')).toHaveLength(texts);
        const graphics = operators
          .slice(operators.indexOf('g') + 1)
          .filter((one) => ['f', 'n', 'w', 'q', 'Q'].includes(one));
        expect(graphics.slice(0, kept.length)).toEqual(kept.map((one) => one.split(' ').at(-1)));
      }),
    );
  });
});
