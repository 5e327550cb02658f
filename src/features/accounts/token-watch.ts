import { type Clock, isoTime } from '../../core/clock.ts';
import { endsSoon } from '../../core/key-terms.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { dailyWatch, type Warn } from '../keys/key-watches.ts';
import { type AccessTokenRecord, listTyped } from './account-records.ts';

/** The access tokens whose end is near, of every organisation. */
export async function endingTokens(
  store: Pick<RecordStore, 'list'>,
  now: number,
): Promise<AccessTokenRecord[]> {
  const tokens = await listTyped(store, 'access-token');
  return tokens.map(({ value }) => value).filter(({ expiresAt }) => endsSoon(expiresAt, now));
}

/** @returns a function to call about once a minute: it warns once a day of each access token whose end is near */
export function tokenExpiryWatch(
  store: Pick<RecordStore, 'list'>,
  clock: Clock,
  warn: Warn,
): () => Promise<void> {
  return dailyWatch(
    clock,
    (now) => endingTokens(store, now),
    ({ id, expiresAt }) => {
      const facts = { accessToken: id, expiresAt: isoTime(expiresAt) };
      warn(facts, 'an access token expires soon; scripts with it are then refused');
    },
  );
}
