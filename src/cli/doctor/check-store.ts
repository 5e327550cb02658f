import { dirname, join } from 'node:path';
import { systemClock } from '../../config/system-clock.ts';
import { isoTime } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { expiresSoon, keyStateName } from '../../core/key-terms.ts';
import { counted } from '../../kit/counted.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import { adviceOnOpenFiles, storeExists } from '../../service/commands/access/existing-store.ts';
import { CLOCK_ADVICE, clockWarning } from '../../service/commands/serve/clock-warning.ts';
import { monthsOfKeys } from '../../service/manage/month-watch.ts';
import { describeStoreUrl, openStore, parseStoreUrl } from '../../service/stores/open-store.ts';
import { BACKUP_FOLDER, leftBehind } from '../../service/stores/restore/left-behind.ts';
import type { Store } from '../../service/stores/store.ts';
import { checkBackup } from './check-backup.ts';
import { type Finding, Findings } from './finding.ts';

const store = new Findings('store');
const audit = new Findings('audit');
const quota = new Findings('quota');
const expiry = new Findings('expiry');
const clock = new Findings('clock');

/** Above this an audit takes too long for `doctor`. */
const AUDITED_TICKETS_MAX = 200_000;

/** Checks that the store opens, can write, and is sound; creates none. Also returns its number of tickets. */
export async function checkStore(url: string): Promise<{ findings: Finding[]; tickets: number }> {
  if (url === 'memory:') {
    return { findings: [store.good('In memory: gone when the process ends.')], tickets: 0 };
  }
  if (!storeExists(url)) {
    const advice =
      'That is normal before the first run; ticketscan serve creates one. Otherwise name it with --store.';
    return {
      findings: [store.warning(`No store exists at ${describeStoreUrl(url)} yet.`, advice)],
      tickets: 0,
    };
  }
  try {
    const { findings, tickets } = await examine(await openStore(url, { keepFormat: true }), url);
    return { findings: [...findings, ...readersOf(url), ...leftBehindOf(url)], tickets };
  } catch (error) {
    const advice = 'Fix that, or name another store with --store.';
    return { findings: [store.failed(messageOf(error), advice)], tickets: 0 };
  }
}

function readersOf(url: string): Finding[] {
  const open = adviceOnOpenFiles(url);
  return open ? [store.warning(open.finding, open.advice)] : [];
}

/** Complete copies of the store that a killed backup or restore left. */
function leftBehindOf(url: string): Finding[] {
  const address = parseStoreUrl(url);
  if (!('path' in address)) return [];
  const { path } = address;
  const left = [...leftBehind(path), ...leftBehind(join(dirname(path), BACKUP_FOLDER))];
  if (left.length === 0) return [];
  const finding = `A backup or restore was killed, and left copies of the store: ${left.join(', ')}.`;
  return [store.warning(finding, 'Remove them. The next backup or restore does so too.')];
}

async function examine(opened: Store, url: string) {
  const shown = describeStoreUrl(url);
  try {
    const tickets = await opened.countTickets();
    const writable = await opened.checkWritable().then(
      () => store.good(`${shown} opens and can write; it has ${counted(tickets, 'ticket')}.`),
      (error: unknown) =>
        store.failed(
          `${shown} cannot write: ${messageOf(error)}`,
          'Check the free space and the permissions of the file and its folder.',
        ),
    );
    const findings = [
      writable,
      ...(await clockOf(opened)),
      ...(await quotasOf(opened)),
      ...(await expiriesOf(opened)),
      await auditOf(opened, tickets),
      await checkBackup(opened, parseStoreUrl(url).engine, systemClock.now()),
    ];
    return { findings, tickets };
  } finally {
    await opened.close();
  }
}

/** The log was written before now, unless a clock is or was wrong. */
async function clockOf(opened: Store): Promise<Finding[]> {
  const behind = await clockWarning(opened, systemClock.now());
  return behind === undefined ? [] : [clock.warning(behind, CLOCK_ADVICE)];
}

/** Which keys will be refused before the month ends. */
async function quotasOf(opened: Store): Promise<Finding[]> {
  const months = await monthsOfKeys(opened, systemClock.now());
  const ending = months.filter(({ usedUpAt }) => usedUpAt !== null);
  if (months.length > 0 && ending.length === 0) {
    return [quota.good('At the current pace no key uses up its monthly quota.')];
  }
  return ending.map(({ key, requestsInMonth, quotaPerMonth, usedUpAt }) => {
    const used = `${requestsInMonth} of ${quotaPerMonth} requests of the month used`;
    const end =
      requestsInMonth >= quotaPerMonth
        ? 'its scans are refused until the month ends'
        : `at this pace its scans are refused from ${isoTime(usedUpAt)} on`;
    return quota.warning(
      `Key "${sanitizeForTerminal(key.name)}": ${used}, ${end}.`,
      'Raise the limit with ticketscan organisations edit --quota, or use a separate key for each gate.',
    );
  });
}

/** Which keys expire soon, or have expired. */
async function expiriesOf(opened: Store): Promise<Finding[]> {
  const now = systemClock.now();
  const ending = (await opened.list('key')).filter(
    (key) => expiresSoon(key, now) || keyStateName(key, now) === 'expired',
  );
  return ending.map((key) => {
    const what = keyStateName(key, now) === 'expired' ? 'expired' : 'expires';
    const at = isoTime(key.expiresAt ?? null);
    return expiry.warning(
      `Key "${sanitizeForTerminal(key.name)}" ${what} at ${at}; its requests are then refused.`,
      `Move the expiry with ticketscan keys edit ${key.id} --expires never, or delete the key.`,
    );
  });
}

async function auditOf(opened: Store, tickets: number): Promise<Finding> {
  if (tickets > AUDITED_TICKETS_MAX) {
    return audit.skipped(
      `Skipped, because ${tickets} tickets take long.`,
      'Run ticketscan audit when there is time.',
    );
  }
  const { problems, scans } = await opened.verify();
  if (problems.length === 0)
    return audit.good(`Counters equal the log of ${counted(scans, 'scan')}.`);
  return audit.failed(
    `${problems.length} broken invariants, the first: ${problems[0]}`,
    'Stop using this store, keep a copy of all its files, and run ticketscan audit for the whole list.',
  );
}
