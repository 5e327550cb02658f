import { termsFrom } from './key-terms.ts';
import type { ApiKeyChanges, ApiKeyRecord } from './records.ts';

/** The record after its changes; what is undefined there stays as it is. */
export function changedKey(record: ApiKeyRecord, changes: ApiKeyChanges): ApiKeyRecord {
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  const changed: ApiKeyRecord = { ...record, ...Object.fromEntries(given) };
  const { readers, onExit, expiresAt, rotations, previousUntil, device, ...plain } = changed;
  const terms = { readers, onExit, expiresAt, rotations, previousUntil, device };
  return { ...plain, ...termsFrom(terms) };
}
