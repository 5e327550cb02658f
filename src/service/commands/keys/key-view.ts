import { monthOf } from '../../../core/clock.ts';
import { timesToJson } from '../../../core/codecs/time.ts';
import { readersText } from '../../../core/direction.ts';
import { expiresSoon, keyStateName } from '../../../core/key-terms.ts';
import type { ApiKeyRecord } from '../../../core/records.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { note } from '../../../terminal/messages.ts';
import { showResult } from '../../../terminal/results.ts';
import { showTable } from '../../../terminal/table.ts';
import type { DataAccess } from '../access/data-types.ts';
import { type Names, withName } from '../access/names.ts';
import { isLoopbackUrl } from '../serve/addresses.ts';
import { keyCare } from './key-care.ts';

export const KEY_ARGUMENT = 'id, name or value; env:NAME and file:PATH are read';

interface Shown {
  readonly json?: boolean;
}

/** A value that is shown this once, with the URLs of a device that contain it. */
interface ShownValue {
  readonly value: string;
  /** The names of events. */
  readonly events: Names;
  readonly cardUrl?: string;
  readonly heartUrl?: string;
  readonly deviceUrl?: string;
}

interface UsedKey {
  readonly key: ApiKeyRecord;
  readonly requestsThisMonth: number;
  readonly lastUsedAt: number | null;
}

/** A key with what it was used for. */
export async function withUsage(key: ApiKeyRecord, { store, clock }: DataAccess): Promise<UsedKey> {
  const requestsThisMonth = await store.requestsInMonth(key.id, monthOf(clock.now()));
  return { key, requestsThisMonth, lastUsedAt: await store.keyLastUsedAt(key.id) };
}

/** Shows the value of a new or rotated key, with the guidance of section 5.6. */
export function showValue(
  io: CliIo,
  key: ApiKeyRecord,
  { value, events, ...urls }: ShownValue,
  { json }: Shown,
): void {
  if (urls.cardUrl && isLoopbackUrl(urls.cardUrl)) {
    io.err(
      'Only this machine can reach the address in these URLs; on a device it means the device itself.',
    );
    io.err('Give the address that devices use: --base-url https://scan.example.org');
    io.err('(or TICKETSCAN_BASE_URL, or baseUrl in the configuration file, for all keys).');
  }
  if (json) {
    io.out(JSON.stringify({ ...timesToJson(key), key: value, ...urls }, null, 2));
    return;
  }
  io.out(
    `Key "${sanitizeForTerminal(key.name)}" (${key.id}), ${key.type}, events: ${eventsText(key, events)}`,
  );
  io.out(`  ${value}`);
  if (urls.cardUrl) {
    io.out(`  Card URL:  ${urls.cardUrl}`);
    io.out(`  Heart URL: ${urls.heartUrl}`);
    if (urls.deviceUrl) io.out(`  Device URL: ${urls.deviceUrl}`);
  }
  note(io, 'Keep the value now: it is not stored and cannot be shown again.');
  for (const advice of keyCare(key.type)) note(io, advice);
}

/** The keys as JSON. */
export function listJson(keys: readonly UsedKey[]): unknown[] {
  return keys.map(({ key, ...usage }) => ({ ...timesToJson(key), ...timesToJson(usage) }));
}

const HEADS = ['ID', 'NAME', 'TYPE', 'EVENTS', 'STATE'];

interface KeyListView {
  readonly now: number;
  readonly events: Names;
  readonly zone: string;
}

/** The keys as a table; columns that only some keys need are there when one does. */
export function showList(
  io: CliIo,
  keys: readonly UsedKey[],
  { now, events, zone }: KeyListView,
): void {
  if (keys.length === 0)
    note(io, 'No keys yet. Create one: ticketscan keys create --name "Gate 1" --type hardware');
  const withReaders = keys.some(({ key }) => key.readers);
  const withDevice = keys.some(({ key }) => key.device !== undefined);
  const withExpiry = keys.some(({ key }) => key.expiresAt !== undefined);
  const rows = keys.map(({ key, requestsThisMonth, lastUsedAt }) => [
    ...[key.id, key.name, key.type, eventsText(key, events), keyStateName(key, now)],
    ...[shownTime(lastUsedAt, zone) ?? 'never', String(requestsThisMonth)],
    ...(withReaders ? [readersCell(key)] : []),
    ...(withDevice ? [key.device ?? ''] : []),
    ...(withExpiry ? [shownTime(key.expiresAt, zone) ?? 'never'] : []),
  ]);
  const heads = [
    ...[...HEADS, inZone('LAST USED', zone), 'REQUESTS THIS MONTH'],
    ...(withReaders ? ['READERS'] : []),
    ...(withDevice ? ['DEVICE'] : []),
    ...(withExpiry ? ['EXPIRES'] : []),
  ];
  showTable(io, heads, rows);
  for (const { key } of keys) warnOfExpiry(io, key, now, zone);
}

function warnOfExpiry(io: CliIo, key: ApiKeyRecord, now: number, zone: string): void {
  if (!expiresSoon(key, now)) return;
  const name = sanitizeForTerminal(key.name);
  io.err(
    `Key "${name}" expires at ${shownTime(key.expiresAt, zone)}; its requests are then refused. Change that: ticketscan keys edit ${key.id} --expires never`,
  );
}

function readersCell(key: ApiKeyRecord): string {
  return key.readers ? `${readersText(key)} (out: ${key.onExit ?? 'consume'})` : '';
}

/** Says what became of a key. */
export function showChanged(io: CliIo, key: ApiKeyRecord, what: string, options: Shown): void {
  const line = `Key "${sanitizeForTerminal(key.name)}" (${key.id}) is ${what}.`;
  showResult(io, options, timesToJson(key), line);
}

function eventsText({ events }: Pick<ApiKeyRecord, 'events'>, names: Names): string {
  return events === 'all' ? 'all' : events.map((id) => withName(id, names)).join(', ');
}
