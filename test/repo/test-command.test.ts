import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Files, createProject, repositoryRoot, runToEnd } from '../support/repo/project-folder.ts';

const suite = (body: string): string => `import { expect, test } from 'vitest';\n${body}\n`;
const good = suite("test('one and one are two', () => {\n  expect(1 + 1).toBe(2);\n});");
const bad = suite("test('one and one are three', () => {\n  expect(1 + 1).toBe(3);\n});");
const unloadable = suite("import './gone.mjs';\ntest('never run', () => {\n  expect(1).toBe(1);\n});");
const withSkipped = suite(
  "test('works', () => {\n  expect(1).toBe(1);\n});\ntest.skipIf(1 + 1 === 2)('later', () => {\n  expect(1).toBe(1);\n});",
);
const onlySkipped = suite("test.skipIf(1 + 1 === 2)('later', () => {\n  expect(1).toBe(1);\n});");
const unhandled = suite(
  "test('works', () => {\n  expect(1).toBe(1);\n  setImmediate(() => {\n    throw new Error('late');\n  });\n});",
);

const testRun = (files: Files) => {
  const { status, stdout } = runToEnd(createProject(files), process.execPath, [
    join(repositoryRoot, 'scripts/test.ts'),
  ]);
  return { status, lastLine: stdout.trimEnd().split('\n').at(-1) };
};

test.each<[string, Files, { status: number; lastLine: string }]>([
  ['all tests pass', { 'libs/a.test.ts': good }, { status: 0, lastLine: '1 passed, 0 failed' }],
  ['some are skipped', { 'libs/a.test.ts': withSkipped }, { status: 0, lastLine: '1 passed, 0 failed, 1 skipped' }],
  ['a test fails', { 'libs/a.test.ts': good, 'libs/b.test.ts': bad }, { status: 1, lastLine: '1 passed, 1 failed' }],
  [
    'a file cannot be loaded',
    { 'libs/a.test.ts': good, 'libs/b.test.ts': unloadable },
    { status: 1, lastLine: '1 passed, 1 failed' },
  ],
  ['an error is not handled', { 'libs/a.test.ts': unhandled }, { status: 1, lastLine: '1 passed, 0 failed' }],
  ['there is no test', {}, { status: 1, lastLine: '0 passed, 0 failed' }],
  [
    'every test is skipped',
    { 'libs/a.test.ts': onlySkipped },
    { status: 1, lastLine: '0 passed, 0 failed, 1 skipped' },
  ],
  [
    'format, style, dependency rules or types are wrong',
    { 'libs/a.test.ts': good, 'libs/b.ts': "export const b: number = 'text';\n" },
    { status: 1, lastLine: '1 passed, 0 failed' },
  ],
])('When %s, the last line and the exit code of npm test show it', (_when, files, expected) => {
  expect(testRun(files)).toEqual(expected);
});

test('Continuous integration runs the test command of the README', () => {
  expect(readFileSync(join(repositoryRoot, '.ci/run'), 'utf8')).toMatch(/^exec npm test$/m);
  expect(readFileSync(join(repositoryRoot, 'README.md'), 'utf8')).toMatch(/^npm test\b/m);
});

test('The lock file names no registry', () => {
  expect(readFileSync(join(repositoryRoot, 'package-lock.json'), 'utf8')).not.toMatch(
    /"resolved"|https?:\/\/[^"]*\.tgz/,
  );
});
