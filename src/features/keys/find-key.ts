import { hashApiKey } from '../../core/api-key.ts';
import { TicketscanError } from '../../core/errors.ts';
import { NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import { findNamed } from '../record-checks.ts';

/** Where keys are looked for: a store, or a server that has one. */
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
