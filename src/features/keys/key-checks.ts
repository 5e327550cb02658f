import { hashApiKey, type IntegrationType } from '../../core/api-key.ts';
import { isGivenTime } from '../../core/clock.ts';
import { areReaders, type Direction, READERS_MAX, readersIn } from '../../core/direction.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import { KEY_CHOICE_NAMES, KEY_CHOICES, type KeyChoiceName } from '../../core/key-settings.ts';
import { type KeyTerms, overlapEnd } from '../../core/key-terms.ts';
import { NAME_CHARACTERS_MAX, ROTATION_OVERLAP_MS_MAX } from '../../core/limits.ts';
import type { ApiKeyChanges, ApiKeyRecord } from '../../core/records.ts';
import { DAY_MS } from '../../kit/durations.ts';
import { findNamed } from '../record-checks.ts';

/** The settings of a key besides its name, events and door. */
export type GivenTerms = Pick<ApiKeyChanges, KeyChoiceName | 'readers' | 'expiresAt' | 'device'>;

/** @throws TicketscanError `usage` for directions of a key that no device uses, and an expiry in the past */
export function checkedTerms<Given extends GivenTerms>(
  given: Given,
  type: IntegrationType,
  now: number,
): Given {
  const { readers, expiresAt } = given;
  checkDevice(given, type);
  if (!areReaders(Object.keys(readers ?? {}))) throw wrongReaders();
  if (type === 'api') refuseForSoftware(given);
  if (expiresAt == null) return given;
  if (!isGivenTime(expiresAt)) throw refuse('time_range', {}, { of: 'expires' });
  if (expiresAt > now) return given;
  throw refuse('expiry_past');
}

/** @throws TicketscanError `usage` for what only a device has */
function refuseForSoftware(given: GivenTerms): void {
  const hasReaders = Object.keys(given.readers ?? {}).length > 0;
  const chosen = KEY_CHOICE_NAMES.find((name) => {
    const { usual } = KEY_CHOICES[name];
    return (given[name] ?? usual) !== usual;
  });
  const wrong = hasReaders ? 'onExit' : chosen;
  if (wrong) throw new TicketscanError('usage', KEY_CHOICES[wrong].onlyHardware);
}

const DEVICE_NAME = /^[a-z0-9-]{0,40}$/;

function checkDevice({ device = '' }: GivenTerms, type: IntegrationType): void {
  if (type === 'api' && device !== '') {
    throw new TicketscanError(
      'usage',
      'Only hardware keys have devices: own software calls /scan/validate and /scan/consume.',
    );
  }
  if (!DEVICE_NAME.test(device)) {
    throw new TicketscanError(
      'usage',
      `"${device}" is not the name of a device file: those have a-z, 0-9 and - only, such as control-id.`,
    );
  }
}

/** Refuses an unknown device file where a server knows its files: it would deny every request of the key. @throws TicketscanError `usage` */
export function checkKnownDevice(device: string | undefined, known: readonly string[]): void {
  if (!device || known.includes(device)) return;
  const names = known.join(', ') || 'none';
  throw refuse(
    'device_unknown',
    { name: device, known: names },
    { detail: 'The operator loads one with serve --device-file FILE.' },
  );
}

/** The directions of `0=in,1=out`; `none` takes them back. @throws TicketscanError `usage` */
export function parseReaders(text: string): Record<string, Direction> {
  const readers = readersIn(text);
  if (readers) return readers;
  throw wrongReaders(`"${text}" is not a list of readers`);
}

function wrongReaders(of?: string): TicketscanError {
  const detail = 'A reader is the index that the device sends (at most 16 letters and digits).';
  return refuse('readers_invalid', { max: READERS_MAX }, { of, detail });
}

const DAYS_MAX = ROTATION_OVERLAP_MS_MAX / DAY_MS;

/** @throws TicketscanError `usage` */
export function checkedOverlap(overlapMs: number): number {
  if (Number.isFinite(overlapMs) && overlapMs >= 0 && overlapMs <= ROTATION_OVERLAP_MS_MAX) {
    return Math.round(overlapMs);
  }
  throw new TicketscanError('usage', `The overlap must be 0 to ${DAYS_MAX} days.`);
}

/** @throws TicketscanError `conflict` where no overlap is running, `usage` */
export function checkMovedOverlap(key: KeyTerms, previousUntil: number, now: number): void {
  if (overlapEnd(key, now) === undefined) {
    throw refuse('no_overlap');
  }
  checkedOverlap(previousUntil - now);
}

/** A source of keys: a store, or a server that has one. */
interface KeySource {
  findKeyByHash(hash: string): Promise<{ readonly key: ApiKeyRecord } | undefined>;
  list(kind: 'key'): Promise<readonly ApiKeyRecord[]>;
}

/**
 * The key that is given by its value, its id or its unique name.
 * @throws TicketscanError `not_found`, `usage` when several have the name; what may be a value is never in the message
 */
export async function findKey(store: KeySource, given: string): Promise<ApiKeyRecord> {
  const byValue = await store.findKeyByHash(hashApiKey(given));
  if (byValue) return byValue.key;
  // A whole file may have been given for a key: what is too long for a name is not repeated either.
  if (given.includes('tscn_') || given.length > NAME_CHARACTERS_MAX) {
    throw new TicketscanError(
      'not_found',
      'No key has that value: it was deleted, belongs to another store, or is mistyped. Requests with it get 401.',
    );
  }
  return findNamed('key', given, await store.list('key'));
}
