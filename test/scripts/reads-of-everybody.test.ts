import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Whatever answers requests, or is called by it. The command line has the whole store before it: its files are left out. */
const FILES = globSync(['src/features/**/*.ts', 'src/serve/**/*.ts', 'src/operations/**/*.ts'])
  .filter((file) => !/commands?\.ts$|\/commands\//.test(file))
  .sort();

const CALL =
  /(?:\bstore\.list|\.listTickets|\blistTyped|\blistStored|\blistSiteValues|\baccountRecords|\bunfinishedDeletions|\bmonthsOfKeys)\(/g;
/** What keeps a read to one organisation, to one account or to a few rows. */
const OWN =
  /\borganisationId\b|\blimit: |#which|\bmember: |\banyOf\b|, (?:own|filter|member)\b|organisation\.id/;

const JOB = 'A job beside the requests.';
const COMMAND = 'Only the command line calls it, which has the whole store before it.';
const START = 'Once, when a server starts.';
const NO_OWNER = 'Only where no organisation is chosen: the command line on a store of its own.';
const ASKED = 'Explains one scan to whoever runs the command or the test bench.';
const FEW = 'Sites and events that left their centre are few.';
const OF_SITE = 'The store of a site has one organisation, with the events that are there.';
const NAMES =
  'Names of organisations are unique, and no store folds them as people read them; these rows are few and short.';

/** Each place that reads rows of every organisation, how often, and why it may. */
const EVERYBODY: Readonly<Record<string, readonly [count: number, reason: string]>> = {
  "features/accounts/access-tokens.ts: listTyped(store, 'access-token')": [
    2,
    'Where no organisation is chosen, on the command line; and a job beside the requests.',
  ],
  "features/accounts/account-records.ts: listTyped(store, 'account')": [
    2,
    'Accounts without an organisation, those of all for the command line, and what is deleted with an organisation, there too.',
  ],
  'features/accounts/rules.ts: accountRecords(this.#deps.store, among)': [
    1,
    'A request gives its organisation; only the command line gives none.',
  ],
  "features/accounts/rules.ts: store.list('account')": [1, START],
  "features/accounts/access.ts: listTyped(store, 'pairing')": [1, JOB],
  "features/accounts/access.ts: listTyped(store, 'session')": [1, JOB],
  "features/data-access.ts: store.list('organisation')": [1, COMMAND],
  "features/devices/rules.ts: store.list('key', which)": [1, COMMAND],
  "features/devices/rules.ts: store.list('scanner', which)": [1, COMMAND],
  'features/devices/rules.ts: store.list(KIND)': [1, COMMAND],
  'features/events/deletions.ts: listTickets(filter)': [1, 'Pages of the tickets of one event.'],
  "features/events/deletions.ts: store.list('deletion')": [
    1,
    'Continues every deletion; there are as many as have begun and not ended.',
  ],
  'features/events/deletions.ts: unfinishedDeletions(store)': [
    1,
    'Continues every deletion; there are as many as have begun and not ended.',
  ],
  "features/explain/explain-scan.ts: store.list('event')": [2, ASKED],
  "features/explain/explain-scan.ts: store.list('key')": [2, ASKED],
  "features/explain/explain-scan.ts: store.list('organisation')": [2, ASKED],
  "features/explain/explain-scan.ts: store.list('scanner')": [2, ASKED],
  "features/explain/explain-scan.ts: listSiteValues(store, 'site')": [1, ASKED],
  "features/keys/rules.ts: store.list('key')": [
    1,
    'For a name on the command line; a request gives an id, which is looked up before.',
  ],
  'features/keys/key-watches.ts: monthsOfKeys( store, now, )': [1, JOB],
  "features/keys/key-watches.ts: store.list('key')": [1, JOB],
  "features/keys/key-watches.ts: store.list('organisation')": [1, JOB],
  "features/log/operations.ts: store.list('refusals')": [
    1,
    'Only for the command line, or where there is one organisation.',
  ],
  "features/organisations/rules.ts: store.list('organisation')": [3, NAMES],
  "features/scope.ts: store.list('organisation')": [1, NO_OWNER],
  "features/seed/rules.ts: store.list('event')": [1, COMMAND],
  "features/seed/rules.ts: store.list('key')": [1, COMMAND],
  "features/seed/rules.ts: store.list('organisation')": [2, COMMAND],
  "features/sites/agent.ts: store.list('event')": [1, START],
  "features/sites/event-homes.ts: listSiteValues(store, 'event-home')": [1, FEW],
  "features/sites/asked-events.ts: listSiteValues(store, 'event-home')": [1, COMMAND],
  "features/sites/asked-events.ts: listSiteValues(store, 'site')": [1, COMMAND],
  "features/sites/event-homes.ts: listSiteValues(store, 'site')": [1, FEW],
  "features/sites/event-homes.ts: listSiteValues(store, 'site-of')": [1, FEW],
  "features/sites/held-events.ts: listSiteValues(store, 'event-home')": [1, OF_SITE],
  "features/sites/held-events.ts: store.list('event')": [2, OF_SITE],
  "features/sites/in-force.ts: listSiteValues(store, 'event-home')": [2, FEW],
  "features/sites/in-force.ts: listSiteValues(store, 'site')": [1, FEW],
  "features/sites/operations.ts: listSiteValues(store, 'event-home')": [1, OF_SITE],
  "features/sites/operations.ts: store.list('event')": [1, OF_SITE],
  "features/sites/recent-contacts.ts: store.list('organisation')": [1, OF_SITE],
  "features/sites/refusals-of-sites.ts: store.list('refusals')": [1, OF_SITE],
  "features/time-zone.ts: store.list('event')": [1, COMMAND],
  "features/time-zone.ts: store.list('key')": [1, COMMAND],
  "features/time-zone.ts: store.list('organisation')": [1, COMMAND],
  "features/webhooks/deliverer.ts: listStored(store, 'webhook')": [1, JOB],
  "features/webhooks/notices.ts: listStored(this.#store, 'webhook-notices')": [1, JOB],
  'serve/metrics.ts: monthsOfKeys(store, now)': [1, JOB],
  "serve/metrics.ts: store.list('event')": [1, JOB],
  "serve/metrics.ts: store.list('organisation')": [1, JOB],
  "serve/run-server.ts: store.list('key')": [1, START],
};

/** The call with its arguments, on one line. */
function callAt(text: string, begin: number): string {
  let depth = 0;
  for (let index = text.indexOf('(', begin); index < text.length; index += 1) {
    if (text[index] === '(') depth += 1;
    if (text[index] === ')') depth -= 1;
    if (depth === 0) return text.slice(begin, index + 1).replace(/\s+/g, ' ');
  }
  return text.slice(begin);
}

function readsIn(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/^\s*(?:\/\*)?\*.*$/gm, '');
  return [...text.matchAll(CALL)]
    .filter(({ index }) => !/function $/.test(text.slice(0, index)))
    .map(({ index }) => callAt(text, index))
    .filter((call) => !OWN.test(call))
    .map((call) => `${file.replace('src/', '')}: ${call.replace(/^\./, '')}`);
}

test('each read of the rows of every organisation has a reason', () => {
  const counts = new Map<string, number>();
  for (const read of FILES.flatMap(readsIn)) counts.set(read, (counts.get(read) ?? 0) + 1);
  const known = Object.entries(EVERYBODY).map(([read, [count]]) => [read, count] as const);
  expect(Object.fromEntries(counts)).toEqual(Object.fromEntries(known));
});
