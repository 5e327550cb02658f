import * as z from 'zod';
import { isLoopbackUrl } from '../../../config/addresses.ts';
import type { IntegrationType } from '../../../core/api-key.ts';
import { readersText } from '../../../core/direction.ts';
import { type ApiKeyRecord, KeyJson } from '../../../core/records.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../../kit/text.ts';
import { deviceUrls } from '../../../scan/http/scan-paths.ts';
import type { CommonOptions } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { readSettings } from '../../../terminal/options.ts';
import { type Names, namesOf, showTable, withName } from '../../../terminal/results.ts';
import type { DataAccess } from '../../data-access.ts';
import { addressOfService } from '../../server/rules.ts';
import type { Key } from '../operations.ts';

export const KEY = ['<key>', 'id, name or value; env:NAME and file:PATH are read'] as const;

const FOR_ALL = [
  'Keep it on your server: never in a web page, an app that others have, or a repository.',
  'Use a separate key for each site or event, and send it over HTTPS only.',
  'Rotate it from time to time: ticketscan keys rotate gives it a new value while the old one stays valid.',
  'When others may know a key, delete it and create a new one.',
];

const FOR_DEVICES = [
  'Enter the URLs on the device only: they contain the key.',
  'Set Wait Time on the device to 30 (3 s), on unstable networks to 50 (5 s).',
];

/** How to keep a key safe (section 5.6), a sentence a line; for hardware also how to set the device (section 7.3). */
export function keyCare(type?: IntegrationType): readonly string[] {
  return type === 'api' ? FOR_ALL : [...FOR_ALL, ...FOR_DEVICES];
}

/** The address in the URLs of a device. @throws TicketscanError `usage` for a setting that is no address */
export async function baseOfUrls(
  { io, url, local }: Pick<DataAccess, 'io' | 'url' | 'local'>,
  options: CommonOptions,
): Promise<string> {
  const { baseUrl } = readSettings(['baseUrl'], { ...options }, io);
  return baseUrl ?? url ?? addressOfService(io, { ...options }, local?.store);
}

/** Shows the value of a new or rotated key, with the guidance of section 5.6. @param base as `baseOfUrls` says */
export async function showValue(
  { io, list }: Pick<DataAccess, 'io' | 'list'>,
  made: Key & { readonly key: string },
  options: CommonOptions,
  base: string,
): Promise<void> {
  const urls = deviceUrls(made.type, made.key, base, made.device);
  if (urls.cardUrl && isLoopbackUrl(urls.cardUrl)) {
    io.err(
      'Only this machine can reach the address in these URLs; on a device it means the device itself.',
    );
    io.err('Give the address that devices use: --base-url https://scan.example.org');
    io.err('(or TICKETSCAN_BASE_URL, or baseUrl in the configuration file, for all keys).');
  }
  if (options.json) {
    io.out(JSON.stringify({ ...keyToJson(made), key: made.key, ...urls }, null, 2));
    return;
  }
  const events = eventsText(made, namesOf(await list('event')));
  io.out(`Key "${sanitizeForTerminal(made.name)}" (${made.id}), ${made.type}, events: ${events}`);
  io.out(`  ${made.key}`);
  if (urls.cardUrl) {
    io.out(`  Card URL:  ${urls.cardUrl}`);
    io.out(`  Heart URL: ${urls.heartUrl}`);
    if (urls.deviceUrl) io.out(`  Device URL: ${urls.deviceUrl}`);
  }
  note(io, 'Keep the value now: it is not stored and cannot be shown again.');
  for (const advice of keyCare(made.type)) note(io, advice);
}

const HEADS = ['ID', 'NAME', 'TYPE', 'EVENTS', 'STATE'];

/** The keys as a table; columns that only some keys need are there when one does. */
export function showList(io: CliIo, keys: readonly Key[], events: Names, zone: string): void {
  if (keys.length === 0)
    note(io, 'No keys yet. Create one: ticketscan keys create --name "Gate 1" --type hardware');
  const withReaders = keys.some((key) => key.readers);
  const withDevice = keys.some((key) => key.device !== undefined);
  const withExpiry = keys.some((key) => key.expiresAt !== undefined);
  const rows = keys.map((key) => [
    key.id,
    key.name,
    key.type,
    eventsText(key, events),
    key.state,
    shownTime(key.lastUsedAt, zone) ?? 'never',
    String(key.usage.requestsThisMonth),
    ...(withReaders ? [readersCell(key)] : []),
    ...(withDevice ? [key.device ?? ''] : []),
    ...(withExpiry ? [shownTime(key.expiresAt, zone) ?? 'never'] : []),
  ]);
  const heads = [
    ...HEADS,
    inZone('LAST USED', zone),
    'REQUESTS THIS MONTH',
    ...(withReaders ? ['READERS'] : []),
    ...(withDevice ? ['DEVICE'] : []),
    ...(withExpiry ? ['EXPIRES'] : []),
  ];
  showTable(io, heads, rows);
  for (const { id, name, expiresAt } of keys.filter((key) => key.expiresSoon)) {
    io.err(
      `Key "${sanitizeForTerminal(name)}" expires at ${shownTime(expiresAt, zone)}; its requests are then refused. Change that: ticketscan keys edit ${id} --expires never`,
    );
  }
}

function readersCell(key: ApiKeyRecord): string {
  return key.readers ? `${readersText(key)} (out: ${key.onExit ?? 'consume'})` : '';
}

/** Says what became of a key. */
export function changedText({ id, name }: ApiKeyRecord, what: string): string {
  return `Key "${name}" (${id}) is ${what}.`;
}

export function keyToJson(key: ApiKeyRecord): KeyJson {
  return z.encode(KeyJson, key as z.output<typeof KeyJson>);
}

function eventsText({ events }: Pick<ApiKeyRecord, 'events'>, names: Names): string {
  return events === 'all' ? 'all' : events.map((id) => withName(id, names)).join(', ');
}
