import { isoTime } from '../../core/clock.ts';
import { counted } from '../../kit/counted.ts';
import { HOUR_MS } from '../../kit/durations.ts';
import { lastBackup } from '../../service/manage/last-backup.ts';
import type { StoreAddress } from '../../service/stores/open-store.ts';
import type { RecordStore } from '../../service/stores/record-store.ts';
import { type Finding, Findings } from './finding.ts';

const backup = new Findings('backup');
const DAY_HOURS = 24;
/** Ages below are told in hours. */
const HOURS_MAX = 48;
const ADVICE = 'Make one: ticketscan store backup FILE. Servers can go on running.';

/** How old the last backup is. @param now milliseconds since 1970 UTC */
export async function checkBackup(
  store: Pick<RecordStore, 'read' | 'listTickets'>,
  engine: StoreAddress['engine'],
  now: number,
): Promise<Finding> {
  const { at, isOverdue } = await lastBackup(store, engine, now);
  if (at !== null) {
    const finding = `The last backup is ${ageOf(now - at)} old (${isoTime(at)}).`;
    return isOverdue ? backup.warning(finding, ADVICE) : backup.good(finding);
  }
  if (isOverdue) return backup.warning('There is no backup of this store yet.', ADVICE);
  if (engine === 'sqlite') return backup.skipped('No backup yet.', ADVICE);
  return backup.skipped('No ticketscan store backup yet; it does not see those of other tools.');
}

function ageOf(ms: number): string {
  const hours = Math.max(0, Math.floor(ms / HOUR_MS));
  if (hours === 0) return 'less than an hour';
  return hours < HOURS_MAX ? counted(hours, 'hour') : counted(Math.floor(hours / DAY_HOURS), 'day');
}
