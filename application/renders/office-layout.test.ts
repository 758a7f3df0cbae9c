import { PDFDocument } from '@cantoo/pdf-lib';
import { expect, it } from 'vitest';
import type { ApiError } from '#contracts/http/api-error.ts';
import { renderOptions } from '#contracts/http/render-options.ts';
import { conversionError } from '#libs/office/libreoffice/errors.ts';
import type { Office } from '#libs/office/port.ts';
import { printOffice } from './office-layout.ts';

const pdfOf = async (pages: number): Promise<Buffer> => {
  const document = await PDFDocument.create();
  for (let page = 0; page < pages; page += 1) document.addPage([100, 100]);
  return Buffer.from(await document.save({ useObjectStreams: false }));
};

/** Prints a document of three pages; like LibreOffice it fails if the ranges have none of them. */
const print = async (page_ranges: string | undefined) => {
  const converted: (string | undefined)[] = [];
  const groups = new Set<string>();
  const office: Office = {
    missing: () => null,
    convert: async ({ pageRanges, group }) => {
      groups.add(group);
      converted.push(pageRanges);
      if (pageRanges?.startsWith('7')) throw conversionError('docx', 'save', 'no pages');
      return { pdf: await pdfOf(3), version: 'LibreOffice/1', timings: { waitMs: 0, loadMs: 0, printMs: 0 } };
    },
    health: () => ({ processes: 0, running: 0, waiting: 0, starts: 0, crashes: 0, documents: 0, memoryMb: 0 }),
    close: async () => undefined,
  };
  const document = { file: new Uint8Array(), format: 'docx' as const };
  const named = page_ranges === undefined ? {} : { page_ranges };
  const result = printOffice(
    { office, document },
    {
      requested: { accountId: 'one', limits: { maxPages: 3 }, source: { mode: 'CONVERT' } } as never,
      named,
      options: renderOptions.parse(named),
      requestedAt: new Date(0),
      isolated: false,
      limits: { processingMs: 1000, waitTimeoutMs: 1000 },
    },
  );
  const outcome = await result.then(
    ({ pages }) => pages,
    (error: ApiError) => error.fields.message,
  );
  return { converted, outcome, groups: [...groups] };
};

it.each([
  [undefined, undefined],
  ['1-', undefined],
  ['3-, 1-2', undefined],
  ['2-', '2-'],
  ['5, 3, 1-2, 2', '1-3,5'],
  ['2, 9-', '2,9-'],
])('An office document is converted once for page_ranges %s', async (ranges, sent) => {
  expect(await print(ranges)).toMatchObject({ converted: [sent], outcome: 3 });
});

it('An office document without the pages of page_ranges is converted as a whole, to say how many it has', async () => {
  const { converted, outcome } = await print('7');
  expect(converted).toEqual(['7', undefined]);
  expect(outcome).toBe('The document has 3 pages; page_ranges "7" has none of them.');
});

it('An office document waits for LibreOffice with the others of its account', async () => {
  expect((await print('7')).groups).toEqual(['one']);
});
