import { chmodSync, existsSync, renameSync, rmSync } from 'node:fs';
import {
  readStoredKeys,
  type StoredSigningKey,
  writeStoredKeys,
} from '../../config/keyring-file.ts';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure, knownFileFailure } from '../../kit/failures.ts';
import { keepAs, nameForReplaced, syncNamesBeside } from '../../stores/replaced-files.ts';
import type { SitePaths } from './sealed-archive.ts';

/** The plan for the keyring of a backup. */
export interface KeyringPlan {
  readonly path: string;
  /** `kept` means that the existing keyring has all keys of the backup. */
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

/** The keys of a keyring; none of a damaged one, which may be the reason for the restore. */
function keysOf(path: string): StoredSigningKey[] {
  try {
    return readStoredKeys(path);
  } catch (error) {
    if (error instanceof TicketscanError) return [];
    throw error;
  }
}

function hasAll(found: readonly StoredSigningKey[], wanted: readonly StoredSigningKey[]): boolean {
  return wanted.every((key) => found.some((one) => isSameKey(one, key)));
}

function isSameKey(one: StoredSigningKey, other: StoredSigningKey): boolean {
  return one.id === other.id && one.secret === other.secret && one.publicKey === other.publicKey;
}

/** Says what happens to the keyring, for the question before the restore; empty if nothing changes. */
export function keyringConsequence({ path, act, keptAs }: KeyringPlan): string {
  if (act === 'kept') return '';
  if (act === 'put') return ` The keyring of the backup becomes ${path}.`;
  return (
    ` The keyring ${path} is another one: it is replaced by the keyring of the backup and stays as ${keptAs}. Codes that only its keys ` +
    'signed are refused from then on, also by other stores that use it.'
  );
}

/** A backup that is about to be put in place: its files, where they go, and what becomes of the keyring. */
interface SiteToPut {
  readonly staged: Partial<SitePaths>;
  readonly site: SitePaths;
  readonly plan: KeyringPlan;
  /** The name of the store, for messages. */
  readonly store: string;
}

/**
 * Puts the keyring, the store and the certificate of a backup in their places. While the store is replaced, the keyring verifies the codes of
 * the old store and of the backup: a crash at any moment leaves a keyring that fits the store. A certificate that is there stays: it may be newer.
 * @param putStore throws an error of the system where the old store is still there, and a TicketscanError where that is uncertain
 * @returns the files that are new
 * @throws TicketscanError that tells what was changed
 */
export function putSite(to: SiteToPut, putStore: () => void): string[] {
  const { staged, plan, store } = to;
  const keyring = plan.act === 'kept' ? undefined : staged.keyring;
  changing(`The keyring ${plan.path}`, 'The store and the keyring are as they were.', () =>
    beginKeyring(keyring, plan),
  );
  try {
    putStore();
  } catch (error) {
    throw storeFailure(store, plan, error);
  }
  const advice = plan.keptAs === null ? '' : ` The old keyring is ${plan.keptAs}.`;
  return changing(
    `The store ${store} was restored, but the keyring ${plan.path} or the certificate`,
    `The keyring that is there verifies the tickets of the backup.${advice}`,
    () => finishSite(keyring, to),
  );
}

/** First: a store without its keyring refuses every ticket. */
function beginKeyring(staged: string | undefined, { path, keptAs }: KeyringPlan): void {
  if (staged === undefined) return;
  if (keptAs === null) {
    renameSync(staged, path);
    syncNamesBeside(path);
    return;
  }
  keepAs(path, keptAs);
  try {
    writeStoredKeys(path, keysOfBoth(readStoredKeys(staged), keysOf(path)));
  } catch (error) {
    putBack(path, keptAs);
    throw error;
  }
}

/**
 * The keys of a backup, which sign, and those that are there, which only verify. A key that is retired stays so, unless the other side
 * still accepts it.
 */
function keysOfBoth(
  ofBackup: readonly StoredSigningKey[],
  found: readonly StoredSigningKey[],
): StoredSigningKey[] {
  const verifying = (key: StoredSigningKey): StoredSigningKey =>
    key.state === 'active' ? { ...key, state: 'verify-only' } : key;
  const shared = ofBackup.map((key) => {
    const other = found.find((one) => isSameKey(one, key));
    return key.state === 'retired' && other ? verifying(other) : key;
  });
  const others = found.filter((key) => !ofBackup.some((one) => isSameKey(one, key)));
  return [...shared, ...others.map(verifying)];
}

function finishSite(keyring: string | undefined, { staged, site, plan }: SiteToPut): string[] {
  const put: string[] = [];
  if (keyring !== undefined) {
    if (plan.keptAs !== null) renameSync(keyring, plan.path);
    put.push(plan.path);
    syncNamesBeside(plan.path);
  }
  const hasCertificate = existsSync(site.cert) || existsSync(site.key);
  if (staged.cert !== undefined && staged.key !== undefined && !hasCertificate) {
    renameSync(staged.key, site.key);
    renameSync(staged.cert, site.cert);
    // The umask may have taken away what clients need.
    chmodSync(site.cert, 0o644);
    put.push(site.key, site.cert);
    syncNamesBeside(site.cert);
  }
  return put;
}

/** Gives the old keyring its name back. @returns false where that fails: then the keyring of both stays */
function putBack(path: string, keptAs: string): boolean {
  try {
    renameSync(keptAs, path);
    // Two names of one file both stay.
    rmSync(keptAs, { force: true });
    syncNamesBeside(path);
    return true;
  } catch {
    return false;
  }
}

function storeFailure(store: string, plan: KeyringPlan, error: unknown): TicketscanError {
  const { path, act, keptAs } = plan;
  if (error instanceof TicketscanError) {
    const both = `The keyring ${path} verifies the tickets of both stores; the old one is ${keptAs}.`;
    const after = keptAs === null ? '' : ` ${both}`;
    return new TicketscanError(error.code, `${error.message}${after}`, { cause: error });
  }
  const isBack = keptAs === null || putBack(path, keptAs);
  const keyring =
    act === 'put'
      ? `The keyring ${path}, which was missing, is now the one of the backup.`
      : isBack
        ? `The keyring ${path} is as it was.`
        : `The keyring ${path} has the keys of the backup too, and verifies the tickets of the store; the old one is ${keptAs}.`;
  return new TicketscanError(
    'usage',
    `${store} cannot be replaced: ${reasonOf(error)}. The store is as it was. ${keyring}`,
    { cause: error },
  );
}

function changing<Result>(what: string, state: string, change: () => Result): Result {
  try {
    return change();
  } catch (error) {
    throw new TicketscanError('usage', `${what} cannot be written: ${reasonOf(error)}. ${state}`, {
      cause: error,
    });
  }
}

/** The reason without the names of temporary files, which messages of the system have. */
function reasonOf(error: unknown): string {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EBUSY') return 'it is in use, or is a mount of its own';
  if (code === 'EEXIST') return 'another program has made a file there meanwhile';
  return (knownFileFailure(error) ?? (syscall && code)) || fileFailure(error);
}
