// The rules on imports, each with its reason. CONTRIBUTING.md describes the layers.
const tests = '\\.test\\.ts$|/testing/';
const typesWithoutCode = '^devtools-protocol$';
const listensOnly = '^services/process/listen\\.ts$';
const namesOfStatusCodes = '^libs/chromium/document/proxy-error\\.ts$';
const ports = 'replies|event-store|bus|read-store|blob-store|limits';
const dashboardApp = '^services/dashboard/(app/|vite\\.config\\.ts$)';
const engines = 'sqlite|file|memory|nats|jetstream|kurrentdb|mongodb|gridfs';

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });
const driver = (name, modules, homes) =>
  rule(
    `${name}-in-one-place`,
    `To replace ${name}, only one place has to change.`,
    { pathNot: [...homes, '^test/', tests] },
    { path: modules },
  );

export default {
  forbidden: [
    rule(
      'contracts-import-zod-alone',
      'Contracts cross process boundaries, so they must not pull in other code.',
      { path: '^contracts/', pathNot: tests },
      { pathNot: ['^contracts/', 'node_modules/zod/'] },
    ),
    rule(
      'domain-imports-contracts-alone',
      'Domain rules are pure functions, so their tests need no mocks.',
      { path: '^libs/domain/', pathNot: tests },
      { pathNot: ['^contracts/', '^libs/domain/'] },
    ),
    rule(
      'port-imports-contracts-alone',
      'A port must not depend on one of its engines.',
      { path: '^libs/[^/]+/port\\.ts$' },
      { pathNot: '^contracts/' },
    ),
    rule(
      'engine-imports-its-port-and-one-driver',
      'An engine can be replaced only if it depends on nothing else in this repository.',
      { path: `^libs/(${ports})/`, pathNot: ['/port\\.ts$', tests] },
      {
        path: '^(libs|application|services)/',
        pathNot: ['^libs/$1/', '^libs/(sqlite|mongodb|nats|concurrency|time)/', '^libs/engines/remote\\.ts$'],
      },
    ),
    rule(
      'engines-do-not-know-each-other',
      'Engines of one port share the port only.',
      { path: `^libs/(${ports})/([^/.-]+)`, pathNot: ['/port\\.ts$', tests] },
      { path: `^libs/$1/(${engines})[/.-]`, pathNot: '^libs/$1/$2[/.-]' },
    ),
    rule(
      'libs-do-not-know-application',
      'Dependencies point inwards.',
      { path: '^(libs|contracts)/' },
      { path: '^application/' },
    ),
    rule(
      'libs-do-not-know-services',
      'Dependencies point inwards.',
      { path: '^(libs|contracts)/' },
      { path: '^(services|scripts)/' },
    ),
    rule(
      'application-does-not-know-services',
      'HTTP, bus and command line use the same commands and queries.',
      { path: '^application/', pathNot: tests },
      { path: '^(services|test|scripts)/' },
    ),
    rule(
      'services-do-not-know-each-other',
      'Services communicate through the event log and the bus. Only services/process opens engines and starts services; ' +
        'the command line calls only services/process.',
      { path: '^services/([^/]+)/', pathNot: '^services/process/' },
      { path: '^services/', pathNot: ['^services/$1/', '^services/process/'] },
    ),
    rule(
      'composition-root-is-called-by-the-command-line',
      'A service receives its dependencies; it does not open them.',
      { path: '^services/[^/]+/', pathNot: ['^services/(process|cli)/', tests] },
      { path: '^services/process/' },
    ),
    rule(
      'nothing-imports-tests',
      'Production code must not depend on test helpers.',
      { path: '^(contracts|libs|application|services)/', pathNot: tests },
      { path: ['^test/', tests] },
    ),

    driver('SQLite', '^(node:)?sqlite$', ['^libs/sqlite/']),
    driver('undici', 'node_modules/undici/', ['^libs/egress/']),
    driver('openid-client', 'node_modules/(openid-client|oauth4webapi)/', ['^libs/oidc/']),
    driver('NATS', 'node_modules/(@nats-io|nats)/', [
      '^libs/nats/',
      '^libs/bus/jetstream[/.-]',
      '^libs/replies/nats[/.-]',
    ]),
    driver('MongoDB', 'node_modules/mongodb/', ['^libs/mongodb/']),
    driver('KurrentDB', 'node_modules/@(kurrent|eventstore)/', ['^libs/event-store/kurrentdb[/.-]']),
    rule(
      'only-egress-opens-connections',
      'A connection opened elsewhere would bypass the checks of egress.',
      { path: '^(libs|application|services)/', pathNot: ['^libs/egress/', listensOnly, namesOfStatusCodes, tests] },
      { path: '^(node:)?(http|https|http2|net|tls|dgram|dns|dns/promises)$', dependencyTypesNot: ['type-only'] },
    ),

    rule(
      'dashboard-knows-types-of-the-api-only',
      'The pages in the browser use the API like any other client.',
      { path: '^services/dashboard/app/' },
      { path: '^(libs|application|services|scripts|test)/', pathNot: '^services/dashboard/app/' },
    ),
    rule(
      'dashboard-contains-no-contracts',
      'Schemas would make the first load larger; types cost nothing.',
      { path: '^services/dashboard/app/' },
      // They hold no schemas.
      {
        path: '^contracts/',
        pathNot: '^contracts/http/(pdf-password|file-extensions|exact-numbers)[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
    ),

    rule('no-cycles', 'Two files that import each other cannot be read one after the other.', {}, { circular: true }),
    rule(
      'no-barrels',
      'An import names the file that holds the symbol.',
      { path: '(^|/)index\\.[cm]?[jt]s$', pathNot: 'node_modules' },
      {},
    ),
    rule(
      'no-utils',
      'A folder without a purpose collects unrelated code.',
      {},
      { path: '(^|/)(utils?|helpers?|common|misc)(/|\\.[cm]?[jt]s$)', pathNot: 'node_modules' },
    ),
    rule(
      'all-imports-lead-somewhere',
      'A name that does not resolve fails at run time only.',
      {},
      { couldNotResolve: true, pathNot: typesWithoutCode },
    ),
    rule(
      'no-dev-dependency-at-run-time',
      'What a user installs must be enough to run.',
      { path: '^(contracts|libs|application|services)/', pathNot: [tests, dashboardApp] },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    detectProcessBuiltinModuleCalls: true,
    doNotFollow: { path: 'node_modules' },
    exclude: {
      path: [
        '(^|/)fixtures/',
        '^services/dashboard/dist',
        '^(contracts|libs|application|services|scripts|test)/.*\\.d\\.mts$',
      ],
    },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mts', '.mjs', '.js', '.json', '.d.ts', '.d.mts'],
    },
  },
};
