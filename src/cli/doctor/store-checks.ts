import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock } from '../../config/system-clock.ts';
import { messageOf } from '../../core/errors.ts';
import { expiresSoon, keyStateName } from '../../core/key-terms.ts';
import { REFUSAL_REASONS } from '../../core/outcome-names.ts';
import type { RefusalCount } from '../../core/records.ts';
import { refusalAdvice } from '../../core/refusals/advice.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { endingTokens } from '../../features/accounts/access-tokens.ts';
import { monthsOfKeys } from '../../features/keys/key-watches.ts';
import { refusedAddress } from '../../features/log/commands/log-text.ts';
import { allRefusals } from '../../features/log/operations.ts';
import { lastBackup } from '../../features/server/operations.ts';
import { isSiteStore } from '../../features/sites/site-records.ts';
import { adviceOnOpenFiles, headOfInfo, storeExists } from '../../features/store/opening.ts';
import { sitePaths } from '../../features/store/sealed-archive.ts';
import { zoneOf } from '../../features/time-zone.ts';
import { DAY_MS, HOUR_MS } from '../../kit/durations.ts';
import { counted, sanitizeForTerminal, timesOf } from '../../kit/text.ts';
import { CLOCK_ADVICE, clockWarning } from '../../serve/announce.ts';
import type { StoreAddress } from '../../stores/open-store.ts';
import { describeStoreUrl, openStore, parseStoreUrl } from '../../stores/open-store.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { BACKUP_FOLDER, leftBehind, replacedBeside } from '../../stores/replaced-files.ts';
import type { Store } from '../../stores/store.ts';
import type { Check, Finding, Found } from './finding.ts';
import { failed, good, named, runChecks, skipped, warning } from './finding.ts';
import { checkSites } from './site-checks.ts';

/** The number of tickets above which an audit takes too long for `doctor`. */
const AUDITED_TICKETS_MAX = 200_000;

interface OpenedStore {
  readonly store: Store;
  readonly url: string;
  readonly tickets: number;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** The time zone in which all times are shown. */
  readonly zone: string;
}

const CHECKS: readonly Check<OpenedStore>[] = [
  { name: 'store', run: checkWritable },
  { name: 'store', run: describeContent },
  { name: 'clock', run: checkClock },
  { name: 'quota', run: checkQuotas },
  { name: 'expiry', run: checkExpiries },
  { name: 'tokens', run: checkTokens },
  { name: 'refused', run: checkRefused },
  { name: 'sites', run: checkSites },
  { name: 'audit', run: checkCounters },
  {
    name: 'backup',
    run: ({ store, url, now, zone }) => checkBackup(store, parseStoreUrl(url).engine, now, zone),
  },
];

/** Checks of the files of a closed store: an open store has more files. */
const FILE_CHECKS: readonly Check<SiteFiles>[] = [
  { name: 'store', run: ({ url }) => checkReaders(url) },
  { name: 'store', run: checkLeftBehind },
  { name: 'store', run: checkReplaced },
];

interface SiteFiles {
  readonly url: string;
  /** Its path; undefined for one in memory. */
  readonly keyring: string | undefined;
}

interface Examined {
  readonly findings: Finding[];
  readonly tickets: number;
  /** Whether it is the store of a site. */
  readonly isSite: boolean;
}

/** Checks that the store opens, can write, and is sound; creates none. */
export async function checkStore(url: string, keyring?: string): Promise<Examined> {
  const without = (found: Found) => ({
    findings: named('store', found),
    tickets: 0,
    isSite: false,
  });
  if (url === 'memory:') return without(good('In memory: gone when the process ends.'));
  try {
    if (!storeExists(url)) {
      const advice =
        'That is normal before the first run; ticketscan serve creates one. Otherwise name it with --store.';
      return without(warning(`No store exists at ${describeStoreUrl(url)} yet.`, advice));
    }
    const examined = await examine(await openStore(url, { keepFormat: true }), url);
    const ofFiles = await runChecks(FILE_CHECKS, { url, keyring });
    return { ...examined, findings: [...examined.findings, ...ofFiles] };
  } catch (error) {
    return without(failed(messageOf(error), 'Fix that, or name another store with --store.'));
  }
}

const EDIT_ADVICE =
  'It was taken over when this command opened the store. Look at what was removed.';

async function examine(store: Store, url: string): Promise<Examined> {
  try {
    const tickets = await store.countTickets();
    const zone = await zoneOf(store);
    const opened = { store, url, tickets, now: systemClock.now(), zone };
    const taken = store.notice === undefined ? [] : [warning(store.notice, EDIT_ADVICE)];
    const findings = [...named('store', taken), ...(await runChecks(CHECKS, opened))];
    return { findings, tickets, isSite: await isSiteStore(store) };
  } finally {
    await store.close();
  }
}

function checkReaders(url: string): Found[] {
  const open = adviceOnOpenFiles(url);
  return open ? [warning(open.finding, open.advice)] : [];
}

/** Copies of the store, and of its secret keys, that a killed command left. */
function checkLeftBehind({ url, keyring }: SiteFiles): Found[] {
  const paths = placesOfSite({ url, keyring }).flatMap((path) => [
    path,
    join(dirname(path), BACKUP_FOLDER),
  ]);
  const left = new Set(paths.flatMap(leftBehind));
  if (left.size === 0) return [];
  const finding = `A command was killed, and left copies of the store or its keys: ${[...left].join(', ')}.`;
  return [warning(finding, 'Remove them. The next backup or restore does so too.')];
}

/** Reports the names of old files, because a restore that was killed could not say them. */
function checkReplaced({ url, keyring }: SiteFiles): Found[] {
  const kept = placesOfSite({ url, keyring }).flatMap(replacedBeside);
  if (kept.length === 0) return [];
  return [
    warning(
      `The old files of a restore are still there: ${kept.join(', ')}.`,
      'Remove an old store when you are sure; it has the names of its guests. Keep an old keyring for its codes.',
    ),
  ];
}

function placesOfSite({ url, keyring }: SiteFiles): string[] {
  const address = parseStoreUrl(url);
  return [
    ...('path' in address ? [address.path] : []),
    ...(keyring !== undefined && existsSync(dirname(keyring))
      ? Object.values(sitePaths(keyring))
      : []),
  ];
}

function checkWritable({ store, url, tickets }: OpenedStore): Promise<Found> {
  const shown = describeStoreUrl(url);
  return store.checkWritable().then(
    () => good(`${shown} opens and can write; it has ${counted(tickets, 'ticket')}.`),
    (error: unknown) =>
      failed(
        `${shown} cannot write: ${messageOf(error)}`,
        'Check the free space and the permissions of the file and its folder.',
      ),
  );
}

/** The lines of `store info` that say whether it is the right store. */
async function describeContent({ store, zone }: OpenedStore): Promise<Found> {
  const rows = headOfInfo(await store.info(), zone);
  return good(`It has ${rows.map((row) => row.join(' ')).join(', ')}.`);
}

/** The log was written before now, unless a clock is or was wrong. */
async function checkClock({ store, now }: OpenedStore): Promise<Found[]> {
  const behind = await clockWarning(store, now);
  return behind === undefined ? [] : [warning(behind, CLOCK_ADVICE)];
}

function timeInWords(at: number | null, zone: string): string {
  return at === null ? 'an unknown time' : inZone(shownTime(at, zone), zone);
}

/** Reports keys that will be refused before the month ends. */
async function checkQuotas({ store, now, zone }: OpenedStore): Promise<Found[]> {
  const months = await monthsOfKeys(store, now);
  const ending = months.filter(({ usedUpAt }) => usedUpAt !== null);
  if (months.length > 0 && ending.length === 0) {
    return [good('At the current pace no key uses up its monthly quota.')];
  }
  return ending.map(({ key, requestsInMonth, quotaPerMonth, usedUpAt }) => {
    const used = `${requestsInMonth} of ${quotaPerMonth} requests of the month used`;
    const end =
      requestsInMonth >= quotaPerMonth
        ? 'its scans are refused until the month ends'
        : `at this pace its scans are refused from ${timeInWords(usedUpAt, zone)} on`;
    return warning(
      `Key "${sanitizeForTerminal(key.name)}": ${used}, ${end}.`,
      'Raise the limit with ticketscan organisations edit --quota, or use a separate key for each gate.',
    );
  });
}

/** Reports keys that expire soon, or have expired. */
async function checkExpiries({ store, now, zone }: OpenedStore): Promise<Found[]> {
  const ending = (await store.list('key')).filter(
    (key) => expiresSoon(key, now) || keyStateName(key, now) === 'expired',
  );
  return ending.map((key) => {
    const what = keyStateName(key, now) === 'expired' ? 'expired' : 'expires';
    const at = timeInWords(key.expiresAt ?? null, zone);
    return warning(
      `Key "${sanitizeForTerminal(key.name)}" ${what} at ${at}; its requests are then refused.`,
      `Move the expiry with ticketscan keys edit ${key.id} --expires never, or delete the key.`,
    );
  });
}

/** Reports access tokens that end soon: a script with such a token would stop without a message. */
async function checkTokens({ store, now, zone }: OpenedStore): Promise<Found[]> {
  return (await endingTokens(store, now)).map(({ id, name, expiresAt }) =>
    warning(
      `Access token "${sanitizeForTerminal(name)}" ends at ${timeInWords(expiresAt, zone)}; scripts with it are then refused.`,
      `Create a new one on the page under "Access tokens", give it to the script, and end this one with ticketscan accounts tokens revoke ${id}.`,
    ),
  );
}

/** Reports the last refusal for each reason. */
async function checkRefused({ store, now, zone }: OpenedStore): Promise<Found[]> {
  const { rows } = await allRefusals(store, now);
  return [...Map.groupBy(rows, ({ reason }) => reason)].map(([reason, [last, ...others]]) => {
    const { endpoint, lastAt } = last as RefusalCount;
    const times = [last as RefusalCount, ...others].reduce((sum, row) => sum + row.times, 0);
    const at = `${timeInWords(lastAt, zone)} from ${refusedAddress(last as RefusalCount)}${endpoint === '' ? '' : ` (${endpoint})`}`;
    return warning(
      sanitizeForTerminal(`Refused ${timesOf(times)}: ${REFUSAL_REASONS[reason]}; last at ${at}.`),
      refusalAdvice(reason),
    );
  });
}

async function checkCounters({ store, tickets }: OpenedStore): Promise<Found> {
  if (tickets > AUDITED_TICKETS_MAX) {
    return skipped(
      `Skipped, because ${tickets} tickets take long.`,
      'Run ticketscan audit when there is time.',
    );
  }
  const { problems, scans } = await store.verify();
  if (problems.length === 0) return good(`Counters equal the log of ${counted(scans, 'scan')}.`);
  return failed(
    `${problems.length} broken invariants, the first: ${problems[0]}`,
    'Stop using this store, keep a copy of all its files, and run ticketscan audit for the whole list.',
  );
}

const BACKUP_ADVICE = 'Make one: ticketscan store backup FILE. Servers can go on running.';

/** Reports how old the last backup is. @param now milliseconds since 1970 UTC @param zone the zone in which its time is shown */
export async function checkBackup(
  store: Pick<RecordStore, 'read' | 'listTickets'>,
  engine: StoreAddress['engine'],
  now: number,
  zone: string,
): Promise<Found> {
  if (await isSiteStore(store)) {
    return skipped('A site needs none: what it has is at its centre, too.');
  }
  const { at, isOverdue } = await lastBackup(store, engine, now);
  if (at !== null) {
    const finding = `The last backup is ${ageOf(now - at)} old: ${timeInWords(at, zone)}.`;
    return isOverdue ? warning(finding, BACKUP_ADVICE) : good(finding);
  }
  if (isOverdue) return warning('There is no backup of this store yet.', BACKUP_ADVICE);
  if (engine === 'sqlite') return skipped('No backup yet.', BACKUP_ADVICE);
  return skipped('No ticketscan store backup yet; it does not see those of other tools.');
}

function ageOf(ms: number): string {
  if (ms < HOUR_MS) return 'less than an hour';
  if (ms < 2 * DAY_MS) return counted(Math.floor(ms / HOUR_MS), 'hour');
  return counted(Math.floor(ms / DAY_MS), 'day');
}
