import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';

const documents = ['README.md', 'CONTRIBUTING.md', ...globSync('docs/*.md'), 'deploy/README.md'];
const folders = 'application|contracts|deploy|docs|libs|scripts|services|templates|test';
const mediaTypes = 'application/(?:json|octet-stream|pdf|x-|zip)';
const pathPattern = new RegExp(String.raw`(?<![\w/.#-])(?!${mediaTypes})(?:${folders})\/[\w/.-]*[\w-]`, 'g');

test.each(documents)('every file and folder that %s names exists', (document) => {
  const paths = readFileSync(document, 'utf8').match(pathPattern) ?? [];
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

const sourceFiles = globSync('{application,contracts,libs,scripts,services,test}/**/*.{ts,mjs}', {
  exclude: ['test/repo/docs.test.ts'],
});
const fileNames = new Set(sourceFiles.map((file) => basename(file)));
const identifiers = new Set(sourceFiles.flatMap((file) => readFileSync(file, 'utf8').match(/\w+/g) ?? []));

const isMissing = (code: string): boolean =>
  /^[\w-]+\.(?:ts|mjs)$/.test(code)
    ? !fileNames.has(code)
    : /^[A-Za-z][a-z]*[A-Z]\w*$/.test(code) && !identifiers.has(code);

test('every file name and identifier that docs/architecture.md names exists', () => {
  const codes = [...readFileSync('docs/architecture.md', 'utf8').matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  expect(codes.filter(isMissing)).toEqual([]);
});
