import { systemClock } from '../../../config/system-clock.ts';
import { isoTime } from '../../../core/clock.ts';
import { parseDateTime } from '../../../core/date-time.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { counted } from '../../../kit/text.ts';
import type { LogStore, PrunableLog, StoreUpkeep } from '../../../stores/store.ts';
import { type CommonOptions, plainCommand } from '../../../terminal/command.ts';
import { type CliIo, Interrupted } from '../../../terminal/io.ts';
import { forOption, readSettings } from '../../../terminal/options.ts';
import { Progress, withElapsed } from '../../../terminal/progress.ts';
import { withStore } from '../../data-access.ts';
import { requireExistingStore, STORE_SETTINGS } from '../../store/opening.ts';
import { ZONE_HELP, zoneOf } from '../../time-zone.ts';

const HELP = `
Examples:
  ticketscan log prune --before 2026-01-01          shows what would be removed
  ticketscan log prune --before 2026-01-01 --yes    removes it

It keeps every ticket with its counter, the newest entry whatever its age, quotas, devices and the audit log of administrative
changes; audit can still prove the counters, because the removed uses are stored for each ticket. The log is cut at one point: an old
entry after a newer one stays. The times and gates of the removed scans are lost. Servers can be running.`;

/** Some 50 ms of a store's only writer. */
const ENTRIES_PER_STEP = 5000;

/** `ticketscan log prune`: removes old entries of the scan log, never counters. */
export const pruneCommand = plainCommand({
  name: 'prune',
  summary: 'Remove old entries of the scan log; counters stay.',
  options: (command) =>
    command
      .option('--before <time>', 'entries from before this time, such as 2026-01-01; required')
      .option('--time-zone <name>', ZONE_HELP),
  yes: 'remove them; without it, only show what would be removed',
  json: '{"before", "removed", "entries", "uses", "firstAt", "lastAt"}',
  help: HELP,
  settings: STORE_SETTINGS,
  run: async (io, options) => {
    // A required option would hide a mistyped one: commander asks for it first.
    const text = options.before;
    if (text === undefined) throw new TicketscanError('usage', 'Before when? Add --before TIME.');
    requireExistingStore(readSettings(STORE_SETTINGS, options, io).store);
    await withStore(io, options, async ({ local: { store } }) => {
      const zone = await zoneOf(store, { asked: options.timeZone });
      const before = forOption('--before', () => parseDateTime(text, 'from', zone));
      await prunedLog(io, store, { before, zone }, options);
    });
  },
});

async function prunedLog(
  io: CliIo,
  store: LogStore & StoreUpkeep,
  { before, zone }: { readonly before: number; readonly zone: string },
  { yes = false, json = false }: CommonOptions,
): Promise<void> {
  const prunable = await store.prunableLog(before);
  const removed = yes && prunable.entries > 0 ? await remove(io, store, before, prunable) : 0;
  if (json) {
    const { firstAt, lastAt, ...counts } = prunable;
    const times = { firstAt: isoTime(firstAt), lastAt: isoTime(lastAt) };
    io.out(JSON.stringify({ before: isoTime(before), removed, ...counts, ...times }));
    return;
  }
  if (prunable.entries === 0) {
    io.out(`No removable entry is older than ${inZone(shownTime(before, zone), zone)}.`);
    return;
  }
  const { entries, uses, firstAt, lastAt } = prunable;
  const what = `from ${shownTime(firstAt, zone)} to ${shownTime(lastAt, zone)} (${zone}), with ${counted(uses, 'use')}, which stay in the counters`;
  if (yes) io.out(`Removed ${counted(removed, 'entry', 'entries')} ${what}. The store is sound.`);
  else
    io.out(
      `${counted(entries, 'entry', 'entries')} would be removed, ${what}. Add --yes to do it.`,
    );
}

/** A log that does not agree with its counters is evidence: it is kept. */
async function remove(
  io: CliIo,
  store: LogStore & StoreUpkeep,
  before: number,
  { entries }: PrunableLog,
): Promise<number> {
  await refuseUnsound(io, store, 'Nothing was removed');
  const progress = new Progress(io, systemClock.monotonicMs);
  const stop = io.stopSignal();
  progress.begin('removing', entries);
  let removed = 0;
  try {
    for (;;) {
      if (stop.aborted) {
        throw new Interrupted(`Stopped: ${removed} of ${entries} are removed.`);
      }
      const step = await store.pruneLog(before, ENTRIES_PER_STEP);
      if (step === 0) break;
      removed += step;
      progress.update(removed);
    }
  } finally {
    progress.clear();
  }
  await refuseUnsound(io, store, 'This was found after the removal');
  return removed;
}

async function refuseUnsound(io: CliIo, store: StoreUpkeep, consequence: string): Promise<void> {
  const { problems } = await withElapsed(io, 'auditing', () => store.verify());
  if (problems.length === 0) return;
  throw new TicketscanError(
    'store_damaged',
    `The store is NOT sound: ${problems[0]} ${consequence}. See ticketscan audit.`,
  );
}
