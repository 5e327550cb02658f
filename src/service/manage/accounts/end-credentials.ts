import type { RecordStore } from '../../stores/record-store.ts';
import { typed } from './account-records.ts';

/**
 * Clears away the sessions and access tokens of an account that is gone, or that has another password: they are void already.
 * @param except a session that stays
 */
export async function endCredentials(
  store: Pick<RecordStore, 'list' | 'write'>,
  accountId: string,
  except: string | null = null,
): Promise<void> {
  for (const kind of ['session', 'access-token'] as const) {
    const theirs = (await store.list(kind)).filter(
      (one) => typed<typeof kind>(one).value.accountId === accountId && one.id !== except,
    );
    if (theirs.length > 0) await store.write({ deleted: theirs, audit: [] });
  }
}
