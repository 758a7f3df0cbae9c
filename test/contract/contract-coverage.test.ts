import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

const libs = new URL('../../libs/', import.meta.url);
const here = new URL('./', import.meta.url);

const namesIn = async (folder: URL): Promise<string[]> => (await readdir(folder)).toSorted();
const textOf = (url: URL): Promise<string> => readFile(url, 'utf8');

const ports = ['blob-store', 'bus', 'event-store', 'limits', 'read-store', 'replies'];

/** The exported `open...` functions of the files next to a port. Each opens an engine. */
const enginesOf = async (port: string): Promise<string[]> => {
  const folder = new URL(`${port}/`, libs);
  const files = (await namesIn(folder)).filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const texts = await Promise.all(files.map((name) => textOf(new URL(name, folder))));
  const type = /^export type (\w+) = (?:\w+ & )?\{/gm;
  const portTypes = new Set([...(await textOf(new URL('port.ts', folder))).matchAll(type)].map((match) => match[1]!));
  const engine =
    /^export const (open\w+) = (?:[^\n]*|(?:async )?\(\n(?: {2}[^\n]*\n)+)\): (?:Promise<)?(\w+)\b[^=\n]*=>/gm;
  return texts.flatMap((text) =>
    [...text.matchAll(engine)].filter((match) => portTypes.has(match[2]!)).map((match) => match[1]!),
  );
};

describe('The contract tests', () => {
  it.each(ports)('test every engine of %s', async (port) => {
    const tests = await Promise.all(
      (await namesIn(here))
        .filter((name) => name.endsWith('.test.ts') && name !== 'contract-coverage.test.ts')
        .map((name) => textOf(new URL(name, here))),
    );
    const suite = `describe${port
      .split('-')
      .map((word) => word[0]!.toUpperCase() + word.slice(1))
      .join('')}Contract`;
    expect(await textOf(new URL(`${port}.contract.ts`, here))).toContain(`export const ${suite}`);
    const engines = await enginesOf(port);
    expect(engines).not.toEqual([]);
    for (const engine of engines) {
      const uses = new RegExp(`\\b${engine}[()]`);
      expect(
        tests.some((text) => text.includes(`${suite}(`) && uses.test(text)),
        `${engine} has no contract test`,
      ).toBe(true);
    }
  });

  it('skip no case and focus none', async () => {
    const files = (await readdir(here, { recursive: true })).filter(
      (name) => name.endsWith('.ts') && name !== 'contract-coverage.test.ts',
    );
    const texts = await Promise.all(files.map((name) => textOf(new URL(name, here))));
    for (const [index, text] of texts.entries())
      expect(text, `file ${files[index]}`).not.toMatch(/\b(?:it|describe)\.(?:skip|only|todo|fails)\b/);
  });
});
