/** The layers: who may import what. docs/ARCHITECTURE.md draws them. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: [from, ...allowed] },
});

/** Runs in the user's own test runner, which is a peer dependency as well. */
const VITEST_FIXTURE = '^src/testing/vitest[.]ts$';

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or miss a third.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    only(
      'core-alone',
      '^src/core/',
      [],
      'The rules are pure: no I/O, no framework, no other layer.',
    ),
    only(
      'check-alone',
      '^src/check/',
      [],
      'A checker that shared code with the service would share its bugs.',
    ),
    only(
      'client-alone',
      '^src/client/',
      [],
      'It talks to a service over HTTP, whoever wrote that: it must not bring one along.',
    ),
    {
      name: 'undici-only-in-the-client',
      comment: 'Other parts have reasons for their own sockets, or ask with fetch.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/client/' },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'only-the-command-line-asks',
      comment:
        'The service, the checker and the simulator must not see one server through the same eyes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(client|cli)/' },
      to: { path: '^src/client/' },
    },
    only(
      'simulate-alone',
      '^src/simulate/',
      [],
      "The simulator must not share the server's parsers, or a shared bug hides.",
    ),
    only(
      'config-on-core',
      '^src/config/',
      ['^src/core/'],
      'Settings know the limits, nothing else.',
    ),
    only(
      'stores-on-core',
      '^src/stores/',
      ['^src/core/'],
      'A store keeps state; the rule comes from core.',
    ),
    only(
      'devices-on-core',
      '^src/devices/',
      ['^src/core/'],
      'Device formats are pure translations.',
    ),
    only(
      'record-on-devices',
      '^src/record/',
      ['^src/core/', '^src/devices/'],
      'A recorder looks at bytes and at the known device models; it serves and stores nothing.',
    ),
    only('mint-on-core', '^src/mint/', ['^src/core/'], 'Codes and images need no server.'),
    only(
      'scan-on-stores',
      '^src/scan/',
      ['^src/core/', '^src/stores/'],
      'Use cases know the store interface, not HTTP.',
    ),
    only(
      'http-on-scan',
      '^src/http/',
      ['^src/core/', '^src/scan/', '^src/devices/'],
      'HTTP translates; it decides nothing.',
    ),
    only(
      'testing-beside-cli',
      '^src/testing/',
      ['^src/core/', '^src/config/', '^src/stores/', '^src/scan/', '^src/devices/', '^src/http/'],
      'A service that tests drive is the real one, put together by other hands than the command line.',
    ),
    only(
      'admin-on-scan',
      '^src/admin/',
      ['^src/core/', '^src/scan/', '^src/devices/', '^src/mint/', '^src/stores/store\\.ts$'],
      'The administration translates use cases to HTTP; it draws tickets and reads lists as the command line does.',
    ),
    only(
      'dashboard-over-http',
      '^src/dashboard/',
      [
        '^src/admin/wire/',
        '^src/core/(admin-prefix|administrative-records|limits|outcome-names|scan-paths)[.]ts$',
      ],
      'The page runs in a browser: it knows the shape of answers, roles, the limits, the names of outcomes and the paths of scans, and asks over HTTP.',
    ),
    {
      name: 'dashboard-types-only',
      comment: 'The schemas check on the server; in the page they would only weigh.',
      severity: 'error',
      from: { path: '^src/dashboard/' },
      to: { path: '^src/admin/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'nobody-imports-the-dashboard',
      comment: 'It is built into files of its own; the server only serves them.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/dashboard/' },
      to: { path: '^src/dashboard/' },
    },
    {
      name: 'history-alone',
      comment: 'What judges a history shares no code with what made it, on either side.',
      severity: 'error',
      from: { path: '^prove/history/' },
      to: { path: '^(src|prove)/', pathNot: '^prove/history/' },
    },
    {
      name: 'prove-from-outside',
      comment: 'The proof starts the program as users do; only the simulation runs its parts.',
      severity: 'error',
      from: { path: '^prove/', pathNot: '^prove/simulation/' },
      to: { path: '^src/' },
    },
    {
      name: 'scan-knows-no-engine',
      comment: 'Only open-store picks an engine.',
      severity: 'error',
      from: { path: '^src/scan/' },
      to: { path: '^src/stores/[^/]+/' },
    },
    {
      name: 'fastify-only-in-http',
      comment: 'The framework stays at the edge.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(http|admin|testing)/' },
      to: { path: 'node_modules/fastify/' },
    },
    {
      name: 'drivers-only-in-stores',
      comment: 'SQL stays behind the store interface.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/stores/' },
      to: { path: '^(node:)?sqlite$|node_modules/(@types/)?pg/' },
    },
    {
      name: 'commander-only-in-cli',
      comment: 'Options are parsed in one place.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(cli|config)/' },
      to: { path: 'node_modules/commander/' },
    },
    {
      name: 'core-without-io',
      comment:
        'No file, socket, process or clock in the rules. Hashing and the functions of text in util are arithmetic.',
      severity: 'error',
      from: { path: '^src/core/' },
      to: { dependencyTypes: ['core'], pathNot: '^(node:)?(crypto|zlib|buffer|util)$' },
    },
    {
      name: 'no-development-packages',
      comment: 'What a user runs may not need what only a contributor has.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/dashboard/', VITEST_FIXTURE] },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
    },
  },
};
