import { type Clock, isoTime, monthOf, msUntilNextMonth } from '../../core/clock.ts';
import { expiresSoon } from '../../core/key-terms.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import { DAY_MS } from '../../kit/durations.ts';
import type { RecordStore } from '../../stores/record-store.ts';

/** How much of its month a key has used (section 8). */
export interface MonthOfKey {
  readonly key: ApiKeyRecord;
  readonly requestsInMonth: number;
  readonly quotaPerMonth: number;
  /** Milliseconds since 1970 UTC; null when the month lasts. */
  readonly usedUpAt: number | null;
}

/** How many keys are read together, so that other work can run between the parts of a long list. */
const KEYS_AT_ONCE = 500;

/**
 * The month of each key that is not deleted. The sample's neighbour is left out: its keys are used up on purpose.
 * @param organisationId keys of it only
 */
export async function monthsOfKeys(
  store: Pick<RecordStore, 'list' | 'read' | 'keyUses'>,
  now: number,
  organisationId?: string,
): Promise<MonthOfKey[]> {
  const all =
    organisationId === undefined
      ? await store.list('organisation')
      : [await store.read('organisation', organisationId)].filter((one) => one !== undefined);
  const watched = all.filter(({ sampleNeighbour }) => !sampleNeighbour);
  const organisations = new Map(watched.map((one) => [one.id, one]));
  const keys = await store.list('key', organisationId === undefined ? {} : { organisationId });
  const requests = new Map<string, number>();
  for (let begin = 0; begin < keys.length; begin += KEYS_AT_ONCE) {
    const ids = keys.slice(begin, begin + KEYS_AT_ONCE).map(({ id }) => id);
    const uses = await store.keyUses(ids, monthOf(now));
    for (const use of uses) requests.set(use.keyId, use.requests);
  }
  return keys.flatMap((key) => {
    const limits = organisations.get(key.organisationId)?.limits;
    if (!limits) return [];
    const requestsInMonth = requests.get(key.id) ?? 0;
    const use = { requestsInMonth, quotaPerMonth: limits.quotaPerMonth };
    return [{ key, ...use, usedUpAt: usedUpAt({ ...use, createdAt: key.createdAt }, now) }];
  });
}

const WARN_AT_PERCENT = [95, 80];

/** Writes a warning into the log of the server. */
export type Warn = (facts: object, message: string) => void;

/** @returns a function to call about once a minute: it warns once for each key and month when 80 % of it are used, and once more at 95 % */
export function monthWatch(
  store: Parameters<typeof monthsOfKeys>[0],
  clock: Clock,
  warn: Warn,
): () => Promise<void> {
  const warned = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const month = monthOf(now);
    for (const name of warned.keys()) {
      if (!name.startsWith(`${month} `)) warned.delete(name);
    }
    for (const { key, requestsInMonth, quotaPerMonth, usedUpAt } of await monthsOfKeys(
      store,
      now,
    )) {
      const name = `${month} ${key.id}`;
      const percent = WARN_AT_PERCENT.find((one) => requestsInMonth * 100 >= quotaPerMonth * one);
      if (percent === undefined || percent <= (warned.get(name) ?? 0)) continue;
      warned.set(name, percent);
      const facts = { key: key.id, requestsInMonth, quotaPerMonth, usedUpAt: isoTime(usedUpAt) };
      warn(
        facts,
        `${percent} % of the monthly quota of a key are used; at 100 % its scans are refused`,
      );
    }
  };
}

/** @returns a function to call about once a minute: it warns once a day of each key whose expiry is near */
export function expiryWatch(
  store: Pick<RecordStore, 'list'>,
  clock: Clock,
  warn: Warn,
): () => Promise<void> {
  return dailyWatch(
    clock,
    async (now) => (await store.list('key')).filter((key) => expiresSoon(key, now)),
    ({ id, expiresAt }) => {
      const facts = { key: id, expiresAt: isoTime(expiresAt ?? null) };
      warn(facts, 'a key expires soon; its requests are then refused');
    },
  );
}

/**
 * @param list what there is to tell at that time
 * @returns a function to call about once a minute: it tells of each of them once a day
 */
export function dailyWatch<Item extends { readonly id: string }>(
  clock: Clock,
  list: (now: number) => Promise<readonly Item[]>,
  tell: (item: Item) => void,
): () => Promise<void> {
  const told = new Map<string, number>();
  return async () => {
    const now = clock.now();
    const day = Math.floor(now / DAY_MS);
    const items = await list(now);
    for (const id of told.keys()) {
      if (!items.some((item) => item.id === id)) told.delete(id);
    }
    for (const item of items) {
      if (told.get(item.id) === day) continue;
      told.set(item.id, day);
      tell(item);
    }
  };
}

/** Less than this says nothing about the rest of a month: a key's first hour may be its busiest. */
const SHARE_MIN = 0.1;

/** How much of its month a key has used, with the facts for a forecast. */
export interface MonthUse {
  readonly requestsInMonth: number;
  readonly quotaPerMonth: number;
  /** When the key was created, milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

/**
 * When the month of a key will be used up if it goes on as on average so far, milliseconds since 1970 UTC; `now` when it is,
 * null when it lasts. With less than a day of data, and less than a tenth of the month used, it is taken to last.
 */
export function usedUpAt(
  { requestsInMonth, quotaPerMonth, createdAt }: MonthUse,
  now: number,
): number | null {
  const left = quotaPerMonth - requestsInMonth;
  if (left <= 0) return now;
  const date = new Date(now);
  const monthStart = Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
  const elapsedMs = now - Math.max(monthStart, Math.min(createdAt, now));
  if (requestsInMonth === 0 || elapsedMs <= 0) return null;
  if (elapsedMs < DAY_MS && requestsInMonth < quotaPerMonth * SHARE_MIN) return null;
  const leftMs = (left * elapsedMs) / requestsInMonth;
  return leftMs < msUntilNextMonth(now) ? Math.round(now + leftMs) : null;
}
