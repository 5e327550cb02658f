/** The layers: who may import what. docs/ARCHITECTURE.md draws them. */
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^src/', pathNot: [from, ...allowed] },
});

const KIT = '^src/kit/';
const CORE = '^src/core/';
const CONFIG = '^src/config/';
/** The format of device files: read alike by whoever uses one. */
const DEVICE_FILES = '^src/device-files/';
/** The names in a target file: `seed` writes it, checker and simulator read it. */
const TARGET_FILE = '^src/target-file/';
const TICKETS = '^src/tickets/(?!commands/)';
const service = (...rooms) => `^src/service/(${rooms.join('|')})/`;
/** A feature without its commands: those use the terminal and whatever they put together. */
const feature = (name) => `^src/${name}/(?!commands/)`;

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two modules that need each other are one module, or a third is missing.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    only('kit-alone', KIT, [], 'It knows nothing of tickets, so that every room may use it.'),
    only('core-alone', CORE, [KIT], 'The rules are pure: no I/O, no framework, no other room.'),
    only(
      'check-alone',
      feature('check'),
      [KIT, DEVICE_FILES, TARGET_FILE],
      'A checker that shared code with the service would share its bugs; a device file is what it judges by.',
    ),
    only(
      'device-files-alone',
      DEVICE_FILES,
      [KIT],
      'A format, for the service, the simulator, the recorder and the checker; what is done with it is theirs.',
    ),
    only('target-file-alone', TARGET_FILE, [], 'Names that a file contains, and nothing else.'),
    only(
      'simulate-alone',
      feature('simulate'),
      [KIT, DEVICE_FILES, TARGET_FILE],
      "The simulator must not share the server's parsers, or a shared bug hides.",
    ),
    only(
      'client-alone',
      feature('client'),
      [KIT],
      'It talks to a service over HTTP, of any vendor: it must not bring one along.',
    ),
    only(
      'service-metrics-on-manage',
      service('metrics'),
      [CORE, KIT, service('stores', 'manage'), '^src/scan/http/(scan-paths|connections)[.]ts$'],
      'Metrics count what others do, and do nothing themselves.',
    ),
    {
      name: 'undici-only-in-clients',
      comment:
        'Scans of own software, the checker and JSON have a client each; simulator and recorder need sockets of their own.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/(client/|check/requests/connection[.]ts$|kit/json-client[.]ts$)',
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
    only('config-on-core', CONFIG, [CORE, KIT], 'Settings know the limits, nothing else.'),
    only('tickets-on-core', TICKETS, [CORE, KIT], 'Lists, codes and sheets need no server.'),
    only(
      'record-on-devices',
      feature('record'),
      [CORE, KIT, DEVICE_FILES, service('devices')],
      'A recorder looks at bytes and at the known device models; it serves and stores nothing.',
    ),
    only(
      'stores-on-core',
      service('stores'),
      [CORE, KIT],
      'A store keeps state; the rule comes from core.',
    ),
    only(
      'devices-on-core',
      service('devices'),
      [CORE, KIT, DEVICE_FILES],
      'Device formats are pure translations.',
    ),
    only(
      'scan-on-stores',
      service('scan'),
      [CORE, KIT, service('stores')],
      'The hot path knows the store interface, not HTTP.',
    ),
    only(
      'manage-on-stores',
      service('manage'),
      [
        ...[CORE, KIT, TARGET_FILE, service('stores')],
        '^src/features/(accounts/(account-records|passwords)|organisations/sheet-settings|tickets/administration)[.]ts$',
      ],
      'Administration knows the store interface, not HTTP.',
    ),
    only(
      'explain-on-manage',
      service('explain'),
      [CORE, KIT, service('stores', 'manage')],
      'It explains a decision and makes none.',
    ),
    only(
      'webhooks-on-manage',
      service('webhooks'),
      [CORE, KIT, service('stores', 'manage')],
      'Webhooks follow the log; no scan knows of them.',
    ),
    only(
      'http-on-scan',
      service('http'),
      [CORE, KIT, DEVICE_FILES, service('scan', 'devices')],
      'HTTP translates; it decides nothing.',
    ),
    only(
      'admin-on-manage',
      service('admin'),
      [
        CORE,
        KIT,
        TICKETS,
        service('scan', 'manage', 'devices', 'http', 'stores', 'webhooks'),
        '^src/(operations|features)/',
      ],
      'The administration translates use cases to HTTP; it draws tickets and reads lists as the command line does.',
    ),
    only(
      'testing-beside-cli',
      '^src/testing/',
      [
        ...[CORE, KIT, CONFIG, TARGET_FILE],
        service('stores', 'scan', 'manage', 'explain', 'devices', 'http'),
        '^src/features/tickets/administration[.]ts$',
      ],
      'A service that tests drive is the real one, put together by other hands than the command line.',
    ),
    only(
      'terminal-on-config',
      '^src/terminal/',
      [CORE, KIT, CONFIG],
      'It reads settings and writes lines; a command decides which.',
    ),
    {
      name: 'commands-only-from-the-command-line',
      comment: 'A command is the outermost layer of its feature: nothing below may need it.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: '^src/([^/]+/commands/|cli/|operations/data-|features/[^/]+/.*command)',
      },
      to: { path: '^src/(.+/commands|cli)/' },
    },
    only(
      'dashboard-over-http',
      '^src/dashboard/',
      [
        '^src/(operations/http/wire|core/codecs|features|operations)/',
        '^src/operations/http/admin-prefix[.]ts$',
        '^src/scan/http/scan-paths[.]ts$',
        '^src/kit/durations[.]ts$',
        '^src/core/(administrative-records|date-time|direction|error-reasons|key-terms|limits|outcome-names|refusal-reasons|time-zone|webhook-events)[.]ts$',
      ],
      'The page runs in a browser: it knows the shape of answers, roles, the reasons of refusals, the limits, the directions of readers, the names of outcomes and of webhook events, the paths of scans, and how times are read and shown and how long a day is, and asks over HTTP.',
    ),
    {
      name: 'dashboard-types-only',
      comment: 'The schemas check on the server; in the page they would only weigh.',
      severity: 'error',
      from: { path: '^src/dashboard/' },
      to: {
        path: '^src/(operations/http/wire|core/codecs|features|operations)/',
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
      name: 'only-open-store-knows-engines',
      comment: 'Only open-store picks an engine.',
      severity: 'error',
      from: { path: '^src/service/(scan|manage|explain|admin|metrics|webhooks)/' },
      to: { path: '^src/stores/[^/]+/' },
    },
    {
      name: 'fastify-only-in-http',
      comment: 'The framework stays at the edge.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(service/(http|admin)|testing|operations|features)/' },
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
        pathNot: '^src/(cli|terminal|config|.+/commands|operations|features)/',
      },
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
