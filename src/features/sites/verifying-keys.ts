import { createPublicKey, createSecretKey } from 'node:crypto';
import type { Keyring, SigningKey } from '../../core/ticket-code.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { isSiteStore, readSiteValue, type VerifyingKey } from './site-records.ts';

/** The keys with which codes are verified. The secret of TS1 can make codes too, so it goes to no site for which nobody wanted it. */
export function verifyingKeysOf(keyring: Keyring, hasSecret: boolean): VerifyingKey[] {
  return keyring.flatMap(({ id, format, state, verifyingKey }): VerifyingKey[] => {
    if (format === 'TS1') {
      if (!hasSecret) return [];
      return [{ id, format, state, key: verifyingKey.export().toString('base64url') }];
    }
    const key = verifyingKey.export({ type: 'spki', format: 'der' }).toString('base64url');
    return [{ id, format, state, key }];
  });
}

/** The keyring of a site: it verifies, and signs nothing. */
export function keyringFrom(keys: readonly VerifyingKey[]): Keyring {
  return keys.map(keyFrom);
}

/** The keys that verify codes at a site, as its centre had them last; undefined for a store that is no site. */
export async function keyringOfSite(
  store: Pick<RecordStore, 'read'>,
): Promise<Keyring | undefined> {
  if (!(await isSiteStore(store))) return undefined;
  const progress = (await readSiteValue(store, 'site-progress', 'centre'))?.value;
  return keyringFrom(progress?.signing ?? []);
}

function keyFrom({ id, format, state, key }: VerifyingKey): SigningKey {
  const bytes = Buffer.from(key, 'base64url');
  const verifyingKey =
    format === 'TS1'
      ? createSecretKey(bytes)
      : createPublicKey({ key: bytes, type: 'spki', format: 'der' });
  return { id, format, state, signingKey: null, verifyingKey };
}
