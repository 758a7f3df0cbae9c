import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import readCruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { expect, test } from 'vitest';
import { type Files, createProject, repositoryRoot, runToEnd } from '../support/repo/project-folder.ts';

const emptyModule = 'export const value = 1;\n';
const moduleImporting = (specifier: string): string =>
  `import * as other from '${specifier}';\nexport const value = other;\n`;

const cruiseOptions = await readCruiseOptions(join(repositoryRoot, '.dependency-cruiser.mjs'));
const sourceFolders = ['contracts', 'libs', 'application', 'services', 'test', 'scripts'];

// In this process, because the program takes longer to start than to check a few files.
const ruleViolations = async (files: Files): Promise<string[]> => {
  const { output } = await cruise(sourceFolders, { ...cruiseOptions, baseDir: createProject(files) });
  const { modules, summary } = output as ICruiseResult;
  expect(modules.map(({ source }) => source)).toEqual(expect.arrayContaining(Object.keys(files)));
  return summary.violations.map(({ rule }) => rule.name);
};

test('code that follows the dependency rules passes', async () => {
  const files = {
    'contracts/names.ts': moduleImporting('zod'),
    'libs/domain/render.ts': moduleImporting('#contracts/names.ts'),
    'libs/bus/port.ts': moduleImporting('#contracts/names.ts'),
    'libs/sqlite/database.ts': moduleImporting('node:sqlite'),
    'libs/bus/sqlite.ts': `${moduleImporting('#libs/sqlite/database.ts')}export * as port from './port.ts';\n`,
    'libs/egress/egress.ts': `${moduleImporting('undici')}export * as net from 'node:net';\n`,
    'application/renders/commands.ts': moduleImporting('#libs/bus/port.ts'),
    'services/relay/relay.ts': moduleImporting('#application/renders/commands.ts'),
    'services/process/start.ts': moduleImporting('../relay/relay.ts'),
    'services/cli/account.ts': moduleImporting('../process/start.ts'),
    'services/cli.ts': moduleImporting('./cli/account.ts'),
  };
  expect(await ruleViolations(files)).toEqual([]);
});

const violations: [rule: string, what: string, files: Files][] = [
  ['contracts-import-zod-alone', 'a contract that imports a library', { 'contracts/a.ts': moduleImporting('pino') }],
  [
    'contracts-import-zod-alone',
    'a contract that imports a module of Node',
    { 'contracts/a.ts': moduleImporting('node:crypto') },
  ],
  [
    'contracts-import-zod-alone',
    'a contract that imports a lib',
    { 'contracts/a.ts': moduleImporting('#libs/b.ts'), 'libs/b.ts': emptyModule },
  ],
  [
    'domain-imports-contracts-alone',
    'a domain rule that imports a module of Node',
    { 'libs/domain/a.ts': moduleImporting('node:crypto') },
  ],
  [
    'domain-imports-contracts-alone',
    'a domain rule that imports another lib',
    { 'libs/domain/a.ts': moduleImporting('#libs/b.ts'), 'libs/b.ts': emptyModule },
  ],
  [
    'port-imports-contracts-alone',
    'a port that imports its engine',
    { 'libs/bus/port.ts': moduleImporting('./sqlite.ts'), 'libs/bus/sqlite.ts': emptyModule },
  ],
  [
    'engine-imports-its-port-and-one-driver',
    'an engine that imports another lib',
    { 'libs/bus/sqlite.ts': moduleImporting('#libs/telemetry/logger.ts'), 'libs/telemetry/logger.ts': emptyModule },
  ],
  [
    'engine-imports-its-port-and-one-driver',
    "an engine that imports another port's engine",
    { 'libs/bus/sqlite.ts': moduleImporting('#libs/event-store/sqlite.ts'), 'libs/event-store/sqlite.ts': emptyModule },
  ],
  [
    'engines-do-not-know-each-other',
    'an engine that imports its sibling',
    { 'libs/bus/nats.ts': moduleImporting('./sqlite.ts'), 'libs/bus/sqlite.ts': emptyModule },
  ],
  [
    'libs-do-not-know-application',
    'a lib that imports a command',
    { 'libs/a.ts': moduleImporting('#application/b/b.ts'), 'application/b/b.ts': emptyModule },
  ],
  [
    'application-does-not-know-services',
    'a command that imports a service',
    { 'application/a/a.ts': moduleImporting('../../services/b/b.ts'), 'services/b/b.ts': emptyModule },
  ],
  [
    'libs-do-not-know-services',
    'a lib that imports a service',
    { 'libs/a.ts': moduleImporting('../services/b/b.ts'), 'services/b/b.ts': emptyModule },
  ],
  [
    'services-do-not-know-each-other',
    'a service that imports another',
    { 'services/api/a.ts': moduleImporting('../relay/b.ts'), 'services/relay/b.ts': emptyModule },
  ],
  [
    'composition-root-is-called-by-the-command-line',
    'a service that imports the composition root',
    { 'services/api/a.ts': moduleImporting('../process/b.ts'), 'services/process/b.ts': emptyModule },
  ],
  [
    'services-do-not-know-each-other',
    'a command of the command line that imports a service',
    { 'services/cli/a.ts': moduleImporting('../api/b.ts'), 'services/api/b.ts': emptyModule },
  ],
  [
    'services-do-not-know-each-other',
    'a service that imports the command line',
    { 'services/api/a.ts': moduleImporting('../cli.ts'), 'services/cli.ts': emptyModule },
  ],
  [
    'nothing-imports-tests',
    'a lib that imports a test',
    { 'libs/a.ts': moduleImporting('./b.test.ts'), 'libs/b.test.ts': emptyModule },
  ],
  [
    'nothing-imports-tests',
    'a lib that imports a test helper',
    { 'libs/a.ts': moduleImporting('../test/support/b.ts'), 'test/support/b.ts': emptyModule },
  ],
  [
    'SQLite-in-one-place',
    'an engine that opens SQLite itself',
    { 'libs/bus/sqlite.ts': moduleImporting('node:sqlite') },
  ],
  ['undici-in-one-place', 'a service that imports undici', { 'services/api/a.ts': moduleImporting('undici') }],
  [
    'only-egress-opens-connections',
    'a lib that opens a connection of its own',
    { 'libs/documents/a.ts': moduleImporting('node:https') },
  ],
  [
    'only-egress-opens-connections',
    'a service that resolves names itself',
    { 'services/delivery/a.ts': moduleImporting('node:dns/promises') },
  ],
  [
    'no-cycles',
    'two files that import each other',
    { 'libs/a.ts': moduleImporting('./b.ts'), 'libs/b.ts': moduleImporting('./a.ts') },
  ],
  [
    'no-cycles',
    'two files that import each other by types alone',
    {
      'libs/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
      'libs/b.ts': "import type { A } from './a.ts';\nexport type B = A;\n",
    },
  ],
  ['no-barrels', 'a barrel', { 'libs/a/index.ts': "export * from './b.ts';\n", 'libs/a/b.ts': emptyModule }],
  [
    'no-utils',
    'a folder without a purpose',
    { 'libs/a.ts': moduleImporting('./utils/b.ts'), 'libs/utils/b.ts': emptyModule },
  ],
  [
    'all-imports-lead-somewhere',
    'an import of a file that does not exist',
    { 'libs/a.ts': moduleImporting('./gone.ts') },
  ],
  [
    'no-dev-dependency-at-run-time',
    'a lib that imports a development dependency',
    { 'libs/a.ts': moduleImporting('fast-check') },
  ],
];

test.each(violations)('the dependency rule %s rejects %s', async (rule, _what, files) => {
  expect(await ruleViolations(files)).toContain(rule);
});

const styleViolations: [rule: string, file: string, content: string][] = [
  [
    'no-floating-promises',
    'libs/not-awaited.ts',
    'const wait = async (): Promise<void> => undefined;\nexport const go = (): void => {\n  wait();\n};\n',
  ],
  ['no-restricted-properties', 'libs/domain/clock.ts', 'export const now = (): number => Date.now();\n'],
  ['no-restricted-properties', 'libs/domain/randomness.ts', 'export const dice = (): number => Math.random();\n'],
  ['no-explicit-any', 'libs/any.ts', 'export const a = (x: any): unknown => x;\n'],
  ['no-default-export', 'libs/default-export.ts', 'const a = 1;\nexport default a;\n'],
];

test('the lint rejects code that breaks its rules', () => {
  const folder = createProject(Object.fromEntries(styleViolations.map(([, file, content]) => [file, content])));
  const { stdout } = runToEnd(folder, 'node_modules/.bin/oxlint', ['--deny-warnings', '--format', 'unix']);
  const findings = stdout.split('\n');
  for (const [rule, file] of styleViolations)
    expect
      .soft(
        findings.filter((finding) => finding.startsWith(`${file}:`)),
        file,
      )
      .toEqual([expect.stringContaining(rule)]);
});
