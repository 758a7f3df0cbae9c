import { expect, it } from 'vitest';
import { renderOptions } from '#contracts/http/render-options.ts';
import type { PrintRequest } from '#libs/chromium/printer.ts';
import type { Composing } from './make-parts.ts';
import { printContents } from './print-contents.ts';

it.each([true, false])(
  'The table of contents is printed in an isolated browser as the parts are: %s',
  async (isolated) => {
    const asked: PrintRequest[] = [];
    const composing = {
      dependencies: {
        printer: {
          print: async (request: PrintRequest) => {
            asked.push(request);
            return { pdf: Buffer.from('%PDF'), pages: 1, timings: { waitMs: 0, loadMs: 0, printMs: 0 } };
          },
        },
      },
      requested: { accountId: 'a', limits: { processingMs: 1_000, scriptMs: 1_000, maxPages: 100 } },
      options: renderOptions.parse({}),
      page: {},
      elapsed: { waitedMs: 0, workedMs: 0 },
      renderOptions: { isolated },
    } as unknown as Composing;
    const headings = [{ title: 'One', headings: [], language: 'en' }] as unknown as Parameters<
      typeof printContents
    >[1]['headings'];
    await printContents(composing, { contents: {}, headings, isListed: () => true, firstPages: () => [2] });
    expect(asked.map((request) => request.isolated)).toEqual([isolated]);
  },
);
