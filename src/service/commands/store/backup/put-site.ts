import { chmodSync, existsSync, renameSync } from 'node:fs';
import { readStoredKeys, type StoredSigningKey } from '../../../../config/keyring-file.ts';
import { TicketscanError } from '../../../../core/errors.ts';
import { keepAs, nameForReplaced, syncNamesBeside } from '../../../stores/restore/held-place.ts';
import type { SitePaths } from './site-files.ts';
import type { StagedSite } from './unpack-sealed.ts';

/** What is to be done with the keyring of a backup. */
export interface KeyringPlan {
  readonly path: string;
  /** `kept`: the one that is there has all keys of the backup. */
  readonly act: 'put' | 'replaced' | 'kept';
  /** The new name of the one that is replaced. */
  readonly keptAs: string | null;
}

/**
 * Compares the keyring of a backup with the one that is there.
 * @throws TicketscanError `keyring` when the one of the backup is damaged
 */
export function planKeyring(staged: string, path: string, now: number): KeyringPlan {
  const wanted = readStoredKeys(staged);
  if (!existsSync(path)) return { path, act: 'put', keptAs: null };
  // It may have newer keys too, and know which of them are retired since.
  if (hasAll(keysOf(path), wanted)) return { path, act: 'kept', keptAs: null };
  return { path, act: 'replaced', keptAs: nameForReplaced(path, now) };
}

/** None of a damaged keyring, which may be why there is a restore. */
function keysOf(path: string): StoredSigningKey[] {
  try {
    return readStoredKeys(path);
  } catch (error) {
    if (error instanceof TicketscanError) return [];
    throw error;
  }
}

function hasAll(found: readonly StoredSigningKey[], wanted: readonly StoredSigningKey[]): boolean {
  return wanted.every((key) =>
    found.some(
      ({ id, secret, publicKey }) =>
        id === key.id && secret === key.secret && publicKey === key.publicKey,
    ),
  );
}

/** As a sentence for the question before the restore; empty when nothing changes. */
export function keyringConsequence({ path, act, keptAs }: KeyringPlan): string {
  if (act === 'kept') return '';
  if (act === 'put') return ` The keyring of the backup becomes ${path}.`;
  return (
    ` The keyring ${path} is another one: it is replaced by the keyring of the backup and stays as ${keptAs}. Codes that only its keys ` +
    'signed are refused from then on, also by other stores that use it.'
  );
}

/**
 * Puts the keyring and the certificate of a backup in their places. A certificate that is there stays: it may be newer.
 * @returns the files that are new
 */
export function putSite(
  staged: StagedSite,
  site: SitePaths,
  { act, keptAs }: KeyringPlan,
): string[] {
  const put: string[] = [];
  if (staged.keyring !== undefined && act !== 'kept') {
    if (keptAs !== null) keepAs(site.keyring, keptAs);
    renameSync(staged.keyring, site.keyring);
    put.push(site.keyring);
  }
  if (staged.cert !== undefined && staged.key !== undefined && !hasCertificate(site)) {
    renameSync(staged.key, site.key);
    renameSync(staged.cert, site.cert);
    // The umask may have taken away what clients need.
    chmodSync(site.cert, 0o644);
    put.push(site.key, site.cert);
  }
  syncNamesBeside(site.keyring);
  return put;
}

function hasCertificate({ cert, key }: SitePaths): boolean {
  return existsSync(cert) || existsSync(key);
}
