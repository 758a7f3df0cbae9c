import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addCounts, formatSummary } from '../../scripts/check/test-counts.ts';
import { type Files, createProject, repositoryRoot, runToEnd } from '../support/repo/project-folder.ts';

const suite = (body: string): string => `import { expect, test } from 'vitest';\n${body}\n`;
const good = suite("test('one and one are two', () => {\n  expect(1 + 1).toBe(2);\n});");
const bad = suite("test('one and one are three', () => {\n  expect(1 + 1).toBe(3);\n});");
const unloadable = suite("import './gone.mjs';\ntest('never run', () => {\n  expect(1).toBe(1);\n});");
const onlySkipped = suite("test.skipIf(1 + 1 === 2)('later', () => {\n  expect(1).toBe(1);\n});");
const unhandled = suite(
  "test('works', () => {\n  expect(1).toBe(1);\n  setImmediate(() => {\n    throw new Error('late');\n  });\n});",
);

const lastLineOf = (stdout: string): string | undefined => stdout.trimEnd().split('\n').at(-1);

const testRun = (files: Files) => {
  const { status, stdout } = runToEnd(createProject(files), process.execPath, [
    join(repositoryRoot, 'scripts/test.ts'),
  ]);
  return { status, lastLine: lastLineOf(stdout) };
};

test.each<[string, Files, { status: number; lastLine: string }]>([
  [
    'all tests pass or are skipped',
    { 'libs/a.test.ts': good, 'libs/b.test.ts': onlySkipped },
    { status: 0, lastLine: '1 passed, 0 failed, 1 skipped' },
  ],
  ['an error is not handled', { 'libs/a.test.ts': unhandled }, { status: 1, lastLine: '1 passed, 0 failed' }],
  [
    'format, style, dependency rules or types are wrong',
    { 'libs/a.test.ts': good, 'libs/b.ts': "export const b: number = 'text';\n" },
    { status: 1, lastLine: '1 passed, 0 failed' },
  ],
])('When %s, the last line and the exit code of npm test show it', (_when, files, expected) => {
  expect(testRun(files)).toEqual(expected);
});

/** The part of the command that runs the tests, without the lint, which takes most of its time. */
const runTestsOf = (files: Files): unknown => {
  const program = `import { runTests } from ${JSON.stringify(join(repositoryRoot, 'scripts/check/run-tests.ts'))};
    console.log('\\n' + JSON.stringify(await runTests([])));`;
  const { stdout } = runToEnd(createProject(files), process.execPath, ['--input-type=module', '--eval', program]);
  return JSON.parse(lastLineOf(stdout)!);
};

test.each<[string, Files, object]>([
  [
    'a test fails and a file cannot be loaded, both are counted',
    { 'libs/a.test.ts': good, 'libs/b.test.ts': bad, 'libs/c.test.ts': unloadable },
    { counts: { passed: 1, failed: 2, skipped: 0 }, succeeded: false },
  ],
  ['there is no test, they fail', {}, { counts: { passed: 0, failed: 0, skipped: 0 }, succeeded: false }],
  [
    'every test is skipped, they fail',
    { 'libs/a.test.ts': onlySkipped },
    { counts: { passed: 0, failed: 0, skipped: 1 }, succeeded: false },
  ],
])('When %s', (_when, files, expected) => {
  expect(runTestsOf(files)).toEqual(expected);
});

test('The summary adds the tests of both runs, and names skipped ones only if there are any', () => {
  const counts = addCounts({ passed: 5, failed: 1, skipped: 3 }, { passed: 20, failed: 10, skipped: 30 });
  expect(formatSummary(counts)).toBe('25 passed, 11 failed, 33 skipped');
  expect(formatSummary({ passed: 1, failed: 2, skipped: 0 })).toBe('1 passed, 2 failed');
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
