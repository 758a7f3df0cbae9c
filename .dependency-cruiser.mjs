// The walls between the rooms. What a wall is for stands in its comment; CONTRIBUTING.md has the plan of the house.
const tests = '\\.test\\.ts$|/testing/';
const typesWithoutCode = '^devtools-protocol$';
const namesOfStatusCodes = '^libs/chromium/document/proxy-reason\\.ts$';
const ports = 'answers|event-store|bus|read-store|blob-store|limits';
const engines = 'sqlite|file|memory|nats|jetstream|kurrentdb|mongodb|gridfs';

const wall = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const driver = (name, modules, homes) =>
  wall(
    `${name}-in-one-place`,
    `Whoever exchanges ${name} has to open one place only.`,
    { pathNot: [...homes, '^test/', tests] },
    { path: modules },
  );

export default {
  forbidden: [
    wall(
      'contracts-import-zod-alone',
      'What crosses a boundary must not drag anything with it.',
      { path: '^contracts/', pathNot: tests },
      { pathNot: ['^contracts/', 'node_modules/zod/'] },
    ),
    wall(
      'domain-imports-contracts-alone',
      'Rules are pure, so that they need no mock.',
      { path: '^libs/domain/', pathNot: tests },
      { pathNot: ['^contracts/', '^libs/domain/'] },
    ),
    wall(
      'port-imports-contracts-alone',
      'A port that knows an engine is no port.',
      { path: '^libs/[^/]+/port\\.ts$' },
      { pathNot: '^contracts/' },
    ),
    wall(
      'engine-imports-its-port-and-one-driver',
      'An engine can be exchanged only while it leans on nothing else of ours.',
      { path: `^libs/(${ports})/`, pathNot: ['/port\\.ts$', tests] },
      {
        path: '^(libs|application|services)/',
        pathNot: [
          '^libs/$1/',
          '^libs/(sqlite|mongodb|nats|concurrency|scheduling|clock)/',
          '^libs/engines/remote\\.ts$',
        ],
      },
    ),
    wall(
      'engines-do-not-know-each-other',
      'Two engines of one port share the port, never each other.',
      { path: `^libs/(${ports})/([^/.-]+)`, pathNot: ['/port\\.ts$', tests] },
      { path: `^libs/$1/(${engines})[/.-]`, pathNot: '^libs/$1/$2[/.-]' },
    ),
    wall(
      'libs-do-not-know-application',
      'Dependencies point inwards.',
      { path: '^(libs|contracts)/' },
      { path: '^application/' },
    ),
    wall(
      'libs-do-not-know-services',
      'Dependencies point inwards.',
      { path: '^(libs|contracts)/' },
      { path: '^(services|test|scripts)/' },
    ),
    wall(
      'application-does-not-know-services',
      'A command or query serves every way in: HTTP, bus and command line.',
      { path: '^application/', pathNot: tests },
      { path: '^(services|test|scripts)/' },
    ),
    wall(
      'services-do-not-know-each-other',
      'Services talk through the log and the bus; services/process alone opens engines and starts them, and the command line calls services/process alone.',
      { path: '^services/([^/]+)/', pathNot: '^services/process/' },
      { path: '^services/', pathNot: ['^services/$1/', '^services/process/'] },
    ),
    wall(
      'composition-root-is-called-by-the-command-line',
      'What a service needs is handed to it.',
      { path: '^services/[^/]+/', pathNot: ['^services/(process|cli)/', tests] },
      { path: '^services/process/' },
    ),
    wall(
      'nothing-imports-tests',
      'A test helper in the product is a product without a test.',
      { path: '^(contracts|libs|application|services)/', pathNot: tests },
      { path: tests },
    ),

    driver('SQLite', '^(node:)?sqlite$', ['^libs/sqlite/']),
    driver('undici', 'node_modules/undici/', ['^libs/egress/']),
    driver('NATS', 'node_modules/(@nats-io|nats)/', [
      '^libs/nats/',
      '^libs/bus/jetstream[/.-]',
      '^libs/answers/nats[/.-]',
    ]),
    driver('MongoDB', 'node_modules/mongodb/', ['^libs/mongodb/']),
    driver('KurrentDB', 'node_modules/@(kurrent|eventstore)/', ['^libs/event-store/kurrentdb[/.-]']),
    wall(
      'one-door-to-the-outside',
      'What opens a connection of its own goes around every check of the egress door.',
      { path: '^(libs|application|services)/', pathNot: ['^libs/egress/', namesOfStatusCodes, tests] },
      { path: '^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises)$', dependencyTypesNot: ['type-only'] },
    ),

    wall('no-cycles', 'Of two files that need each other neither can be read first.', {}, { circular: true }),
    wall(
      'no-barrels',
      'An import names the file that it means.',
      { path: '(^|/)index\\.[cm]?[jt]s$', pathNot: 'node_modules' },
      {},
    ),
    wall(
      'no-utils',
      'A room without a purpose fills with everything.',
      {},
      { path: '(^|/)(utils?|helpers?|common|misc)(/|\\.[cm]?[jt]s$)', pathNot: 'node_modules' },
    ),
    wall(
      'all-imports-lead-somewhere',
      'A name that does not resolve fails at run time only.',
      {},
      { couldNotResolve: true, pathNot: typesWithoutCode },
    ),
    wall(
      'no-dev-dependency-at-run-time',
      'What a user installs must be enough to run.',
      { path: '^(contracts|libs|application|services)/', pathNot: tests },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['(^|/)fixtures/', '^(contracts|libs|application|services|scripts|test)/.*\\.d\\.mts$'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.mts', '.mjs', '.js', '.json', '.d.ts', '.d.mts'],
    },
  },
};
