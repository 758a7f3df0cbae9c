import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { PDFDocument, PDFName } from '@cantoo/pdf-lib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countPlacedPages, placeParts } from './layout.ts';

const program = fileURLToPath(new URL('../../../test/support/programs/compose-parts.ts', import.meta.url));
const pagesPerPart = 2;
const bytesPerPart = 250_000;

/** Bytes that cannot be compressed and that no other part has. */
const noise = (seed: string, outputLength: number): Uint8Array =>
  createHash('shake256', { outputLength }).update(seed).digest();

const writePart = async (file: string, seed: string, shared: Uint8Array): Promise<void> => {
  const document = await PDFDocument.create({ updateMetadata: false });
  const { context } = document;
  const image = (bytes: Uint8Array) =>
    context.register(
      context.stream(bytes, {
        Type: 'XObject',
        Subtype: 'Image',
        Width: 1,
        Height: bytes.length,
        ColorSpace: 'DeviceGray',
        BitsPerComponent: 8,
      }),
    );
  const xObjects = { Own: image(noise(seed, bytesPerPart)), Shared: image(shared) };
  for (let index = 0; index < pagesPerPart; index += 1)
    document.addPage([200, 200]).node.set(PDFName.of('Resources'), context.obj({ XObject: xObjects }));
  await writeFile(file, await document.save({ useObjectStreams: false }));
};

describe('Parts that are composed', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'colophon-test-'));
    const shared = noise('shared', 100_000);
    for (let index = 0; index < 300; index += 1)
      await writePart(join(folder, `${String(index).padStart(3, '0')}.pdf`), `part ${index}`, shared);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const compose = async (
    count: number,
    ...password: string[]
  ): Promise<{ pages: number; bytes: number; maxMb: number }> => {
    const output = `${folder}.pdf`;
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [
        // The space for young objects grows with the time that a program runs, not with what it keeps.
        '--max-semi-space-size=2',
        program,
        folder,
        output,
        String(count),
        ...password,
      ]);
      const result = JSON.parse(stdout) as { pages: number; bytes: number; maxMb: number };
      expect((await stat(output)).size).toBe(result.bytes);
      return result;
    } finally {
      await rm(output, { force: true });
    }
  };

  it('need the memory of a few of them, however many there are, and share what is the same', async () => {
    const [few, many] = [await compose(50), await compose(300)];
    expect([few.pages, many.pages]).toEqual([100, 600]);
    // 250 more parts have 62 MB more of their own. What all of them share is written once.
    expect(many.bytes - few.bytes).toBeGreaterThan(250 * bytesPerPart);
    expect(many.bytes).toBeLessThan(300 * bytesPerPart + 5_000_000);
    expect(many.maxMb - few.maxMb).toBeLessThan(45);
    const encrypted = await compose(300, 'secret');
    expect(encrypted.pages).toBe(600);
    expect(encrypted.maxMb - few.maxMb).toBeLessThan(45);
  });
});

describe('Parts that begin on the right', () => {
  it('get a blank page before them where it is needed', () => {
    const parts = [
      { pages: 1, startsOnRight: false },
      { pages: 2, startsOnRight: true },
      { pages: 2, startsOnRight: true },
      { pages: 1, startsOnRight: false },
    ];
    const placed = placeParts(parts);
    expect(placed).toEqual([
      { firstPage: 1, isBlankBefore: false },
      { firstPage: 3, isBlankBefore: true },
      { firstPage: 5, isBlankBefore: false },
      { firstPage: 7, isBlankBefore: false },
    ]);
    expect(countPlacedPages(parts, placed)).toBe(7);
  });
});
