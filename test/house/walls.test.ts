import { expect, test } from 'vitest';
import { type Files, houseOf, run } from './sandbox.ts';

const room = 'export const room = 1;\n';
const imports = (specifier: string): string => `import * as other from '${specifier}';\nexport const room = other;\n`;

const findings = (files: Files): string[] => {
  const { stdout } = run(houseOf(files), 'node_modules/.bin/depcruise', ['contracts', 'libs', 'application', 'services', 'test', 'scripts']);
  expect(stdout).toMatch(/modules, .* cruised/);
  return [...stdout.matchAll(/^ {2}error ([\w-]+):/gm)].map(([, name]) => name ?? '');
};

test('a house that keeps to its walls passes', () => {
  const files = {
    'contracts/names.ts': imports('zod'),
    'libs/domain/render.ts': imports('#contracts/names.ts'),
    'libs/bus/port.ts': imports('#contracts/names.ts'),
    'libs/sqlite/database.ts': imports('node:sqlite'),
    'libs/bus/sqlite.ts': `${imports('#libs/sqlite/database.ts')}export * as port from './port.ts';\n`,
    'libs/egress/door.ts': `${imports('undici')}export * as net from 'node:net';\n`,
    'application/renders/commands.ts': imports('#libs/bus/port.ts'),
    'services/relay/relay.ts': imports('#application/renders/commands.ts'),
    'services/process/start.ts': imports('../relay/relay.ts'),
    'services/cli/account.ts': imports('../process/start.ts'),
    'services/cli.ts': imports('./cli/account.ts'),
  };
  expect(findings(files)).toEqual([]);
});

const trespasses: [wall: string, what: string, files: Files][] = [
  ['contracts-import-zod-alone', 'a contract that imports a library', { 'contracts/a.ts': imports('pino') }],
  ['contracts-import-zod-alone', 'a contract that imports a module of Node', { 'contracts/a.ts': imports('node:crypto') }],
  ['contracts-import-zod-alone', 'a contract that imports a lib', { 'contracts/a.ts': imports('#libs/b.ts'), 'libs/b.ts': room }],
  ['domain-imports-contracts-alone', 'a rule that imports a module of Node', { 'libs/domain/a.ts': imports('node:crypto') }],
  ['domain-imports-contracts-alone', 'a rule that imports another lib', { 'libs/domain/a.ts': imports('#libs/b.ts'), 'libs/b.ts': room }],
  ['port-imports-contracts-alone', 'a port that imports its engine', { 'libs/bus/port.ts': imports('./sqlite.ts'), 'libs/bus/sqlite.ts': room }],
  ['engine-imports-its-port-and-one-driver', 'an engine that imports another lib', { 'libs/bus/sqlite.ts': imports('#libs/telemetry/log.ts'), 'libs/telemetry/log.ts': room }],
  ['engine-imports-its-port-and-one-driver', "an engine that imports another port's engine", { 'libs/bus/sqlite.ts': imports('#libs/event-store/sqlite.ts'), 'libs/event-store/sqlite.ts': room }],
  ['engines-do-not-know-each-other', 'an engine that imports its sibling', { 'libs/bus/nats.ts': imports('./sqlite.ts'), 'libs/bus/sqlite.ts': room }],
  ['libs-do-not-know-application', 'a lib that imports a command', { 'libs/a.ts': imports('#application/b/b.ts'), 'application/b/b.ts': room }],
  ['application-does-not-know-services', 'a command that imports a service', { 'application/a/a.ts': imports('../../services/b/b.ts'), 'services/b/b.ts': room }],
  ['libs-do-not-know-services', 'a lib that imports a service', { 'libs/a.ts': imports('../services/b/b.ts'), 'services/b/b.ts': room }],
  ['services-do-not-know-each-other', 'a service that imports another', { 'services/api/a.ts': imports('../relay/b.ts'), 'services/relay/b.ts': room }],
  ['composition-root-is-called-by-the-command-line', 'a service that imports the composition root', { 'services/api/a.ts': imports('../process/b.ts'), 'services/process/b.ts': room }],
  ['services-do-not-know-each-other', 'a command of the command line that imports a service', { 'services/cli/a.ts': imports('../api/b.ts'), 'services/api/b.ts': room }],
  ['services-do-not-know-each-other', 'a service that imports the command line', { 'services/api/a.ts': imports('../cli.ts'), 'services/cli.ts': room }],
  ['nothing-imports-tests', 'a lib that imports a test', { 'libs/a.ts': imports('./b.test.ts'), 'libs/b.test.ts': room }],
  ['SQLite-in-one-place', 'an engine that opens SQLite itself', { 'libs/bus/sqlite.ts': imports('node:sqlite') }],
  ['undici-in-one-place', 'a service that takes undici for itself', { 'services/api/a.ts': imports('undici') }],
  ['one-door-to-the-outside', 'a lib that opens a connection of its own', { 'libs/documents/a.ts': imports('node:https') }],
  ['one-door-to-the-outside', 'a service that resolves names itself', { 'services/delivery/a.ts': imports('node:dns/promises') }],
  ['no-cycles', 'two files that import each other', { 'libs/a.ts': imports('./b.ts'), 'libs/b.ts': imports('./a.ts') }],
  ['no-cycles', 'two files that import each other by types alone', { 'libs/a.ts': "import type { B } from './b.ts';\nexport type A = B;\n", 'libs/b.ts': "import type { A } from './a.ts';\nexport type B = A;\n" }],
  ['no-barrels', 'a barrel', { 'libs/a/index.ts': "export * from './b.ts';\n", 'libs/a/b.ts': room }],
  ['no-utils', 'a room without a purpose', { 'libs/a.ts': imports('./utils/b.ts'), 'libs/utils/b.ts': room }],
  ['all-imports-lead-somewhere', 'an import of nothing', { 'libs/a.ts': imports('./gone.ts') }],
  ['no-dev-dependency-at-run-time', 'a lib that needs what only developers have', { 'libs/a.ts': imports('fast-check') }],
];

test.each(trespasses)('the wall %s stops %s', (wall, _what, files) => {
  expect(findings(files)).toContain(wall);
});

const styleFindings = (files: Files): string => run(houseOf(files), 'node_modules/.bin/oxlint', ['--deny-warnings', '--format', 'unix']).stdout;

test.each<[rule: string, what: string, files: Files]>([
  ['no-floating-promises', 'a promise that nobody waits for', { 'libs/a.ts': 'const wait = async (): Promise<void> => undefined;\nexport const go = (): void => {\n  wait();\n};\n' }],
  ['no-restricted-properties', 'a rule that looks at the clock', { 'libs/domain/a.ts': 'export const now = (): number => Date.now();\n' }],
  ['no-restricted-properties', 'a rule that throws dice', { 'libs/domain/a.ts': 'export const dice = (): number => Math.random();\n' }],
  ['no-explicit-any', 'a type that says nothing', { 'libs/a.ts': 'export const a = (x: any): unknown => x;\n' }],
  ['no-default-export', 'an export without a name', { 'libs/a.ts': 'const a = 1;\nexport default a;\n' }],
])('the style check %s stops %s', (rule, _what, files) => {
  expect(styleFindings(files)).toContain(rule);
});
