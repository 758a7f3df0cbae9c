import { setImmediate } from 'node:timers/promises';
import { Readable } from 'node:stream';
import type { FastifyReply } from 'fastify';
import { attachmentOf } from './attachment.ts';

export const csvType = 'text/csv';

/** A spreadsheet would run a text that begins like this as a formula, also after spaces. */
const formulaStart = /^[\s]*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

const csvField = (value: string | number | boolean | null): string => {
  if (value === null) return '';
  if (typeof value !== 'string') return String(value);
  const text = formulaStart.test(value) ? `'${value}` : value;
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

/**
 * A line of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front; numbers do
 * not change.
 */
export const csvLine = (values: readonly (string | number | boolean | null)[]): string =>
  `${values.map(csvField).join(',')}\r\n`;

/**
 * Sends pages of text as a file to download. The next page is made when the receiver has taken the one before, so a
 * slow receiver takes no memory.
 */
export const sendDownload = (
  reply: FastifyReply,
  fileName: string,
  contentType: string,
  pages: AsyncIterable<string>,
): FastifyReply => {
  const yielding = async function* (): AsyncGenerator<string> {
    for await (const page of pages) {
      yield page;
      // Embedded engines read synchronously; other requests come in between.
      await setImmediate();
    }
  };
  return reply
    .headers({
      'content-type': contentType,
      'content-disposition': attachmentOf(fileName),
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    .send(Readable.from(yielding(), { objectMode: false, highWaterMark: 64 * 1024 }));
};
