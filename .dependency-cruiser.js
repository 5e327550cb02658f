/** The layers: who may import what. docs/contributing/ARCHITECTURE.md draws them, and a test holds its table against the code. */
const inRooms = (...rooms) => `^src/(${rooms.join('|')})/`;

/** The rooms of tools that stand beside the service, each with its commands. */
const TOOLS = inRooms('check', 'simulate', 'record', 'client', 'testing');

/** A room without its commands: those use the terminal and whatever they put together. */
const withoutCommands = (room) => `^src/${room}/(?!commands/)`;

/** The rooms that a room may use besides itself, and why no other. */
const only = (room, allowed, comment, from = inRooms(room)) => ({
  name: `${room}-uses`,
  comment,
  severity: 'error',
  from: { path: from },
  to: {
    path: '^src/',
    pathNot: [inRooms(room), ...(allowed.length > 0 ? [inRooms(...allowed)] : [])],
  },
});

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment:
        'Two modules that need each other are one module, or a third is missing; also where they need types alone, which vanish when they run.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    only('kit', [], 'It knows nothing of tickets, so that every room may use it.'),
    only('core', ['kit'], 'The rules are pure: no I/O, no framework, no other room.'),
    only('config', ['core', 'kit'], 'Settings know the limits, nothing else.'),
    only(
      'terminal',
      ['core', 'kit', 'config'],
      'It reads settings and writes lines; a command decides which.',
    ),
    only('target-file', [], 'Names that a file contains, and nothing else.'),
    only(
      'device-files',
      ['kit'],
      'A format, for the service, the simulator, the recorder and the checker; what is done with it is theirs.',
    ),
    only('stores', ['core', 'kit'], 'A store keeps state; the rule comes from core.'),
    only(
      'scan',
      ['core', 'kit', 'device-files', 'stores'],
      'The hot path knows the store interface and the formats of devices, and no administration.',
    ),
    only(
      'tickets',
      ['core', 'kit'],
      'Lists, codes and sheets are a library: they need no server and no command, and what makes, prints and reads tickets with them is a feature (mint).',
    ),
    only(
      'operations',
      ['core', 'kit', 'config', 'stores', 'scan'],
      'What an operation is, and its faces: HTTP, OpenAPI, calls. Which operations there are, the features say.',
    ),
    {
      name: 'features-below-serve',
      comment:
        'The features that are made of operations know no server that is put together, and neither do their commands.',
      severity: 'error',
      from: { path: inRooms('features', 'tickets', 'terminal') },
      to: {
        path: inRooms(
          'serve',
          'cli',
          'dashboard',
          'check',
          'simulate',
          'record',
          'testing',
          'client',
        ),
      },
    },
    only(
      'check',
      ['kit', 'device-files', 'target-file'],
      'A checker that shared code with the service would share its bugs; a device file is what it judges by.',
      withoutCommands('check'),
    ),
    only(
      'simulate',
      ['kit', 'device-files', 'target-file'],
      "The simulator must not share the server's parsers, or a shared bug hides.",
      withoutCommands('simulate'),
    ),
    only(
      'client',
      ['kit'],
      'It talks to a service over HTTP, of any vendor: it must not bring one along.',
      withoutCommands('client'),
    ),
    {
      name: 'tools-apart',
      comment:
        'Checker, simulator, recorder, client and test bench know nothing of each other, nor do their commands: what two of them need, such as new tickets (features/mint), is lower in the house.',
      severity: 'error',
      from: { path: TOOLS },
      to: { path: TOOLS, pathNot: '^src/$1/' },
    },
    {
      name: 'record-uses',
      comment:
        'A recorder looks at bytes and at the known device models; it serves and stores nothing.',
      severity: 'error',
      from: { path: withoutCommands('record') },
      to: {
        path: '^src/',
        pathNot: [inRooms('record', 'core', 'kit', 'device-files'), '^src/scan/devices/'],
      },
    },
    only(
      'testing',
      ['core', 'kit', 'config', 'target-file', 'stores', 'scan', 'features'],
      'A service that tests drive is the real one, put together by other hands than the command line.',
      withoutCommands('testing'),
    ),
    only(
      'serve',
      ['core', 'kit', 'config', 'terminal', 'stores', 'scan', 'tickets', 'operations', 'features'],
      'A server at a gate stands on nothing that is for tests; their command gives it a stage.',
    ),
    {
      name: 'one-way-to-data',
      comment:
        'A command reaches data by withData, which knows whether it is in a store or at a server; one that asked a server by itself would be a second way.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/features/data-access[.]ts$' },
      to: { path: '^src/operations/admin-client[.]ts$' },
    },
    {
      name: 'undici-only-in-clients',
      comment:
        'Scans of own software, the checker and JSON have a client each; simulator and recorder need sockets of their own.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(client/|check/requests/connection[.]ts$|kit/(?:agents|json-client)[.]ts$)',
      },
      to: { path: 'node_modules/undici/' },
    },
    {
      name: 'only-the-command-line-uses-the-client',
      comment:
        'The service, the checker and the simulator must not see one server through the same eyes.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(client/|[^/]+/commands/|cli/)' },
      to: { path: '^src/client/' },
    },
    {
      name: 'commands-only-from-the-command-line',
      comment: 'A command is the outermost layer of its feature: nothing below may need it.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/([^/]+/commands/|cli/|features/[^/]+/(.*command|commands/))',
      },
      to: { path: '^src/([^/]+/commands|features/[^/]+/commands|cli)/' },
    },
    {
      name: 'dashboard-over-http',
      comment:
        'The page runs in a browser and asks over HTTP: it knows the types of operations, the rules and general helpers, and the paths of scans. The build refuses what needs Node, and a test what weighs too much.',
      severity: 'error',
      from: { path: '^src/dashboard/' },
      to: {
        path: '^src/',
        pathNot: [
          inRooms('dashboard', 'core', 'kit', 'features', 'operations'),
          '^src/scan/http/scan-paths[.]ts$',
        ],
      },
    },
    {
      name: 'dashboard-types-only',
      comment: 'The schemas check on the server; in the page they would only weigh.',
      severity: 'error',
      from: { path: '^src/dashboard/' },
      to: {
        path: '^src/(core/(records|field-shapes)[.]ts|features/|operations/)',
        pathNot: '^src/operations/operation[.]ts$',
        dependencyTypesNot: ['type-only'],
      },
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
      comment:
        'What judges a history, and the model that it asks, share no code with what made it, on either side.',
      severity: 'error',
      from: { path: '^prove/(history|model)/' },
      to: { path: '^(src|prove)/', pathNot: '^prove/(history|model|part.ts|search.ts)' },
    },
    {
      name: 'prove-from-outside',
      comment:
        'The proof starts the program as users do; only the simulation, explorations, the judges of stopped commands and of splits and the search of how events move between sites run its parts.',
      severity: 'error',
      from: {
        path: '^prove/',
        pathNot: '^prove/(simulation|nightly|administration|sites|splits)/',
      },
      to: { path: '^src/' },
    },
    {
      name: 'only-open-store-knows-engines',
      comment: 'Only open-store picks an engine.',
      severity: 'error',
      from: { path: '^src/(scan|operations|features|serve)/', pathNot: '^src/features/store/' },
      to: { path: '^src/stores/[^/]+/' },
    },
    {
      name: 'fastify-only-in-http',
      comment: 'The framework stays at the edge.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(scan/http|serve|testing|operations|features)/' },
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
      name: 'commander-only-in-commands',
      comment: 'Options are parsed by the commands and the shell around them.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(cli|terminal|config|.+/commands|operations|features|serve)/',
      },
      to: { path: 'node_modules/(@commander-js|commander)/' },
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
      name: 'no-unlisted-packages',
      comment: 'All of it is built into dist, where only packages of package.json can be.',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
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
