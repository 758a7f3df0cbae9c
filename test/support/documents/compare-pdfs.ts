import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isOfficeAvailable } from './office-available.ts';

const run = promisify(execFile);

/** Whether the programs are installed that this comparison needs. */
export const canCompare = isOfficeAvailable && ['pdftoppm', 'soffice'].every((name) => existsSync(`/usr/bin/${name}`));

type Image = { width: number; height: number; pixels: Buffer };

/** An image as pdftoppm writes it in shades of grey: `P5`, width, height, 255, and a byte for each pixel. */
const readPgm = (file: Buffer): Image => {
  const header = /^P5\s+(\d+)\s+(\d+)\s+255\s/.exec(file.toString('latin1', 0, 64))!;
  return { width: Number(header[1]), height: Number(header[2]), pixels: file.subarray(header[0].length) };
};

const blockSize = 8;
const c1 = (0.01 * 255) ** 2;
const c2 = (0.03 * 255) ** 2;

/** Structural similarity (Wang and others 2004) of two blocks. */
const blockSimilarity = (one: Image, other: Image, left: number, top: number): number => {
  let [sum1, sum2, square1, square2, product] = [0, 0, 0, 0, 0];
  for (let y = top; y < top + blockSize; y += 1)
    for (let x = left; x < left + blockSize; x += 1) {
      const [a, b] = [one.pixels[y * one.width + x]!, other.pixels[y * other.width + x]!];
      sum1 += a;
      sum2 += b;
      square1 += a * a;
      square2 += b * b;
      product += a * b;
    }
  const count = blockSize * blockSize;
  const [mean1, mean2] = [sum1 / count, sum2 / count];
  const [variance1, variance2] = [square1 / count - mean1 ** 2, square2 / count - mean2 ** 2];
  const covariance = product / count - mean1 * mean2;
  return (
    ((2 * mean1 * mean2 + c1) * (2 * covariance + c2)) / ((mean1 ** 2 + mean2 ** 2 + c1) * (variance1 + variance2 + c2))
  );
};

/**
 * The similarity of the two blocks that differ most, 1 for the same image; 0 if the sizes differ. A mean would hardly
 * change for a blank page, as most of a page is white.
 */
const similarity = (one: Image, other: Image): number => {
  if (one.width !== other.width || one.height !== other.height) return 0;
  let lowest = 1;
  for (let top = 0; top + blockSize <= one.height; top += blockSize)
    for (let left = 0; left + blockSize <= one.width; left += blockSize)
      lowest = Math.min(lowest, blockSimilarity(one, other, left, top));
  return lowest;
};

const draw = async (folder: string, name: string, pdf: Uint8Array): Promise<Image[]> => {
  await writeFile(join(folder, `${name}.pdf`), pdf);
  await run('pdftoppm', ['-gray', '-r', '40', '-l', '10', join(folder, `${name}.pdf`), join(folder, name)]);
  const files = (await readdir(folder)).filter((file) => file.startsWith(`${name}-`)).toSorted();
  return Promise.all(files.map(async (file) => readPgm(await readFile(join(folder, file)))));
};

/** How similar the pages of two PDFs are where they differ most, at most ten pages; 0 for a page that one of them does not have. */
export const similaritiesOf = async (one: Uint8Array, other: Uint8Array): Promise<number[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-compare-'));
  try {
    const [left, right] = [await draw(folder, 'one', one), await draw(folder, 'other', other)];
    return Array.from({ length: Math.max(left.length, right.length) }, (_, index) =>
      left[index] && right[index] ? similarity(left[index], right[index]) : 0,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Documents as LibreOffice's command line converts them, in one run: their PDFs by name. Without extension: docx. */
export const convertWithCommandLine = async (
  documents: ReadonlyMap<string, Uint8Array>,
): Promise<Map<string, Buffer>> => {
  const folder = await mkdtemp(join(tmpdir(), 'colophon-soffice-'));
  try {
    const names = [...documents.keys()];
    const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
    const files = names.map((name, index) =>
      join(folder, `${index}${/\.(?:odt|doc|pptx)$/.exec(name)?.[0] ?? '.docx'}`),
    );
    await Promise.all(files.map((file, index) => writeFile(file, documents.get(names[index]!)!)));
    await run('soffice', [profile, '--headless', '--convert-to', 'pdf', '--outdir', folder, ...files], {
      env: { ...process.env, HOME: folder, TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    });
    const read = names.map(
      async (name, index) => [name, await readFile(join(folder, `${index}.pdf`)).catch(() => null)] as const,
    );
    return new Map((await Promise.all(read)).flatMap(([name, pdf]) => (pdf ? [[name, pdf] as const] : [])));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
