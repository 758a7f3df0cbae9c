import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import readCruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { expect, test } from 'vitest';
import { type Files, createProject, repositoryRoot, runToEnd } from '../support/repo/project-folder.ts';

const emptyModule = 'export const value = 1;\n';
const moduleImporting = (specifier: string): string =>
  `import * as other from '${specifier}';\nexport const value = other;\n`;

const cruiseOptions = await readCruiseOptions(join(repositoryRoot, '.dependency-cruiser.mjs'));
const sourceFolders = ['contracts', 'libs', 'application', 'services', 'test', 'scripts'];

type Violation = { rule: string; from: string };

// In this process, because the program takes longer to start than to check a few files.
const findViolations = async (files: Files): Promise<Violation[]> => {
  const { output } = await cruise(sourceFolders, { ...cruiseOptions, baseDir: createProject(files) });
  const { modules, summary } = output as ICruiseResult;
  expect(modules.map(({ source }) => source)).toEqual(expect.arrayContaining(Object.keys(files)));
  return summary.violations.map(({ rule, from }) => ({ rule: rule.name, from }));
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
  expect(await findViolations(files)).toEqual([]);
});

const violations: [rule: string, what: string, file: string, imported: string][] = [
  ['contracts-import-zod-alone', 'a contract that imports a library', 'contracts/a.ts', 'pino'],
  ['contracts-import-zod-alone', 'a contract that imports a module of Node', 'contracts/b.ts', 'node:crypto'],
  ['contracts-import-zod-alone', 'a contract that imports a lib', 'contracts/c.ts', '#libs/a/empty.ts'],
  ['domain-imports-contracts-alone', 'a domain rule that imports a module of Node', 'libs/domain/a.ts', 'node:crypto'],
  ['domain-imports-contracts-alone', 'a domain rule that imports another lib', 'libs/domain/b.ts', '#libs/a/empty.ts'],
  ['port-imports-contracts-alone', 'a port that imports its engine', 'libs/bus/port.ts', './sqlite.ts'],
  [
    'engine-imports-its-port-and-one-driver',
    'an engine that imports another lib',
    'libs/bus/nats.ts',
    '#libs/telemetry/logger.ts',
  ],
  [
    'engine-imports-its-port-and-one-driver',
    "an engine that imports another port's engine",
    'libs/limits/sqlite.ts',
    '#libs/event-store/sqlite.ts',
  ],
  ['engines-do-not-know-each-other', 'an engine that imports its sibling', 'libs/replies/nats.ts', './memory.ts'],
  ['libs-do-not-know-application', 'a lib that imports a command', 'libs/a/a.ts', '#application/a/empty.ts'],
  [
    'application-does-not-know-services',
    'a command that imports a service',
    'application/b/a.ts',
    '../../services/relay/empty.ts',
  ],
  ['libs-do-not-know-services', 'a lib that imports a service', 'libs/a/b.ts', '../../services/relay/empty.ts'],
  ['services-do-not-know-each-other', 'a service that imports another', 'services/api/a.ts', '../relay/empty.ts'],
  [
    'composition-root-is-called-by-the-command-line',
    'a service that imports the composition root',
    'services/api/b.ts',
    '../process/empty.ts',
  ],
  [
    'services-do-not-know-each-other',
    'a command of the command line that imports a service',
    'services/cli/a.ts',
    '../api/empty.ts',
  ],
  ['services-do-not-know-each-other', 'a service that imports the command line', 'services/api/c.ts', '../cli.ts'],
  ['nothing-imports-tests', 'a lib that imports a test', 'libs/a/c.ts', './d.test.ts'],
  ['nothing-imports-tests', 'a lib that imports a test helper', 'libs/a/d.ts', '../../test/support/empty.ts'],
  ['SQLite-in-one-place', 'an engine that opens SQLite itself', 'libs/read-store/sqlite.ts', 'node:sqlite'],
  ['undici-in-one-place', 'a service that imports undici', 'services/api/d.ts', 'undici'],
  ['only-egress-opens-connections', 'a lib that opens a connection of its own', 'libs/documents/a.ts', 'node:https'],
  [
    'only-egress-opens-connections',
    'a service that resolves names itself',
    'services/delivery/a.ts',
    'node:dns/promises',
  ],
  ['no-cycles', 'a file that imports one that imports it', 'libs/cycle/a.ts', './b.ts'],
  ['no-barrels', 'a barrel', 'libs/a/index.ts', './empty.ts'],
  ['no-utils', 'a folder without a purpose', 'libs/a/e.ts', '../utils/empty.ts'],
  ['all-imports-lead-somewhere', 'an import of a file that does not exist', 'libs/a/f.ts', './gone.ts'],
  ['no-dev-dependency-at-run-time', 'a lib that imports a development dependency', 'libs/a/g.ts', 'fast-check'],
];

/** Files that violate one rule each, in one project, because each check takes long to start. */
const violating = (): Files => {
  const imported = violations.flatMap(([, , file, specifier]) => {
    if (specifier.startsWith('#')) return [specifier.slice(1)];
    return specifier.startsWith('.') ? [join(dirname(file), specifier)] : [];
  });
  return {
    ...Object.fromEntries(imported.filter((file) => !file.endsWith('gone.ts')).map((file) => [file, emptyModule])),
    ...Object.fromEntries(violations.map(([, , file, specifier]) => [file, moduleImporting(specifier)])),
    'libs/a/index.ts': "export * from './empty.ts';\n",
    'libs/cycle/b.ts': moduleImporting('./a.ts'),
    'libs/types/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n",
    'libs/types/b.ts': "import type { A } from './a.ts';\nexport type B = A;\n",
  };
};

test('each dependency rule rejects what it forbids', async () => {
  const found = await findViolations(violating());
  const rulesOf = (file: string) => found.filter(({ from }) => from === file).map(({ rule }) => rule);
  for (const [rule, what, file] of violations) expect.soft(rulesOf(file), what).toContain(rule);
  expect(rulesOf('libs/types/a.ts'), 'files that import types of each other').toEqual(['no-cycles']);
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
