import type { RecordStore } from '../../stores/record-store.ts';
import { typed } from './account-records.ts';

/**
 * Clears away the sessions and access tokens of an account that is gone, or that has another password: they are void already.
 * @param except a session that stays
 */
export async function endCredentials(
  store: Pick<RecordStore, 'listDocuments' | 'deleteDocument'>,
  accountId: string,
  except: string | null = null,
): Promise<void> {
  for (const kind of ['session', 'access-token'] as const) {
    for (const document of await store.listDocuments(kind)) {
      const isTheirs = typed<typeof kind>(document).value.accountId === accountId;
      if (isTheirs && document.id !== except) await store.deleteDocument(kind, document.id, null);
    }
  }
}
