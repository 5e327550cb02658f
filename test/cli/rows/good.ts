import { EXAMPLES } from '../../../src/cli/examples.ts';

/** They need another machine, a service of this one, or what is made elsewhere. Only their options are looked at. */
export const NOT_RUN = [
  'demo',
  'serve',
  'accounts tokens revoke',
  'sites status',
  'webhooks test',
  'service install',
  'service uninstall',
  'service status',
  'privacy clean',
  'health',
  'scan',
  'simulate',
  'record',
  'record show',
  'record send',
  'check explore',
  'check monitor',
  'check device',
];

/** Commands with examples of their own on their page. The words in capitals stand for what `seed` made. */
const OTHERS: Readonly<Record<string, string>> = {
  doctor: 'ticketscan doctor --port 0',
  mint: 'ticketscan mint --event "Summer pool"',
  'tickets cancel': 'ticketscan tickets cancel SINGLE',
  'tickets reinstate': 'ticketscan tickets reinstate SINGLE',
  'tickets replace': 'ticketscan tickets replace LOST',
  'tickets edit': 'ticketscan tickets edit SINGLE --valid-until 2027-12-31',
  'tickets undo': 'ticketscan tickets undo 1 --reason "wrong gate"',
  'tickets delete': 'ticketscan tickets delete SINGLE --yes',
  'tickets import': 'ticketscan tickets import tickets.csv --skip-existing',
  'tickets export': 'ticketscan tickets export --out tickets.csv --force',
  log: 'ticketscan log --limit 2',
  'log prune': 'ticketscan log prune --before 2020-01-01',
  explain: 'ticketscan explain CODE',
  stats: 'ticketscan stats --event "Summer pool"',
  'stats closing': 'ticketscan stats closing --date 2026-07-18 --event "Summer pool"',
  decode: 'ticketscan decode SAMPLE --keyring sample-keyring.json',
  'device-files check': 'ticketscan device-files check control-id',
  check: 'ticketscan check --list',
  seed: 'ticketscan seed --count 1 --yes',
  'store copy': 'ticketscan store copy sqlite:./ticketscan.db sqlite:./copy.db',
  'store backup': 'ticketscan store backup backup.db',
  'store restore': 'ticketscan store restore backup.db --yes',
  'privacy report': 'ticketscan privacy report --ticket SINGLE',
  'privacy erase': 'ticketscan privacy erase SINGLE --yes',
  'privacy apply': 'ticketscan privacy apply --keep-holders-days 9999 --yes',
  'events delete': 'ticketscan events delete EVENT --with-tickets --yes',
  audit: 'ticketscan audit',
  completion: 'ticketscan completion bash',
  docs: 'ticketscan docs troubleshooting',
  version: 'ticketscan version',
};

/** A command line for each command, by its name, in the order in which they work one after another in the folder of a seeded store. */
export const GOOD: Readonly<Record<string, string>> = { ...EXAMPLES, ...OTHERS };
