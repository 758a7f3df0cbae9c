import { PDFDocument, StandardFonts } from '@cantoo/pdf-lib';
import fc from 'fast-check';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiError } from '#contracts/http/api-error.ts';
import { openWorkerPool, type WorkerPool } from '#libs/documents/worker-pool.ts';
import { checkWithQpdf, isQpdfAvailable } from '../../../test/support/documents/qpdf.ts';
import { buildPdf, onePage } from '../testing/build-pdf.ts';

/** The processes have a low priority, so that their start alone can take 20 s on a busy machine. */
const limits = { memoryMb: 256, timeoutMs: 90_000 };

let pool: WorkerPool;
let folder: string;
beforeAll(async () => {
  pool = openWorkerPool({ processes: 2, memoryMb: limits.memoryMb });
  folder = await mkdtemp(join(tmpdir(), 'mutations-'));
});
afterAll(async () => {
  pool.close();
  await rm(folder, { recursive: true });
});

const form = async (useObjectStreams: boolean): Promise<Uint8Array> => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const font = await document.embedFont(StandardFonts.Helvetica);
  for (const text of ['First page', 'Second page']) document.addPage([300, 200]).drawText(text, { font, size: 20 });
  const field = document.getForm().createTextField('name');
  field.setText('Ann');
  field.addToPage(document.getPage(0), { x: 20, y: 20, width: 90, height: 20 });
  document.getForm().createCheckBox('yes').addToPage(document.getPage(1), { x: 20, y: 20, width: 20, height: 20 });
  return document.save({ useObjectStreams });
};

const withOutline = buildPdf({
  ...onePage,
  1:
    '<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /PageLabels << /Nums [0 << /S /r /St 3 >>] >> ' +
    '/Names << /Dests << /Names [(a) [3 0 R /XYZ 0 100 0]] >> >> >>',
  3:
    '<< /Type /Page /Parent 2 0 R /Contents [4 0 R 4 0 R] /Rotate 90 /Annots [' +
    '<< /Subtype /Link /Rect [0 0 9 9] /Dest (a) >> << /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://a.b/) >> >>] >>',
  6: '<< /First 7 0 R /Last 8 0 R /Count 2 >>',
  7: '<< /Title (One) /Parent 6 0 R /Next 8 0 R /Dest (a) >>',
  8: '<< /Title (Two) /Parent 6 0 R /Prev 7 0 R /A << /S /GoTo /D [3 0 R /Fit] >> >>',
});

/** Words that a parser follows. One in place of another makes loops, wrong types and wrong numbers. */
const words = [
  '1 0 R',
  '2 0 R',
  '3 0 R',
  '4 0 R',
  '5 0 R',
  '/Kids',
  '/Contents',
  '/Parent',
  '/Length',
  '/Type',
  '/Next',
];
words.push('/Pages', '/Page', '/First', '/Resources', '<<', '>>', '[', ']', '(', ')', 'endobj', 'stream', 'endstream');
words.push('obj', 'null', '999999999', '-1', '0.5', '/Filter', '/FlateDecode', '/LZWDecode', '/N', '/Dest', '/Annots');

type Mutation = (bytes: Buffer) => Buffer;
const position = fc.noBias(fc.nat(999_999)).map((at) => at / 1_000_000);

const flip = fc
  .array(fc.tuple(position, fc.integer({ min: 1, max: 255 })), { minLength: 1, maxLength: 8 })
  .map((flips): Mutation => (bytes) => {
    const copy = Buffer.from(bytes);
    for (const [at, mask] of flips) copy[Math.floor(at * copy.length)]! ^= mask;
    return copy;
  });
const cut = position.map(
  (at): Mutation =>
    (bytes) =>
      bytes.subarray(0, Math.floor(at * bytes.length)),
);
const omit = fc.tuple(position, fc.integer({ min: 1, max: 200 })).map(([at, length]): Mutation => (bytes) => {
  const start = Math.floor(at * bytes.length);
  return Buffer.concat([bytes.subarray(0, start), bytes.subarray(start + length)]);
});
const swap = fc
  .array(fc.tuple(position, fc.constantFrom(...words)), { minLength: 1, maxLength: 4 })
  .map((swaps): Mutation => (bytes) => {
    let text = bytes.toString('latin1');
    for (const [at, word] of swaps) {
      const found = [...text.matchAll(/\d+ 0 R|\/[A-Za-z]+|<<|>>|[[\]()]|\d+|endobj|stream/g)];
      const { index, 0: old } = found[Math.floor(at * found.length)]!;
      text = text.slice(0, index) + word + text.slice(index + old.length);
    }
    return Buffer.from(text, 'latin1');
  });

const problemOf = async (pdf: Uint8Array): Promise<string | null> => {
  if (!isQpdfAvailable) return null;
  const { isGood, output } = await checkWithQpdf(pdf);
  return isGood ? null : output;
};

describe('A mutated PDF', () => {
  it('is rejected or becomes a valid part, within the limits of a process', async () => {
    const seeds = [await form(false), await form(true), withOutline].map((bytes) => Buffer.from(bytes));
    const mutations = fc.sample(fc.tuple(fc.nat(seeds.length - 1), fc.oneof(flip, cut, omit, swap)), {
      numRuns: 120,
      seed: 21,
    });
    const outcomes = { imported: 0, rejected: 0 };
    const problems: string[] = [];
    const work = [...mutations.entries()];
    const next = async (): Promise<void> => {
      for (let one = work.pop(); one; one = work.pop()) {
        const [at, [seed, mutate]] = one;
        const pdf = mutate(seeds[seed]!);
        try {
          const file = join(folder, `${at}.pdf`);
          await pool.run('importPart', { pdf, limits: { maxPages: 100 }, pageRanges: null, file }, limits);
          outcomes.imported += 1;
          const problem = await problemOf(await readFile(file));
          if (problem) problems.push(`${at}: ${problem}`);
        } catch (error) {
          if (!(error instanceof ApiError) || error.fields.name !== 'invalid_pdf')
            problems.push(`${at}: ${String(error)}`);
          outcomes.rejected += 1;
        }
      }
    };
    await Promise.all([next(), next()]);
    expect(problems).toEqual([]);
    expect(outcomes.imported).toBeGreaterThan(20);
    expect(outcomes.rejected).toBeGreaterThan(20);
  }, 180_000);
});
