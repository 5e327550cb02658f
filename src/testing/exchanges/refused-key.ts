import { hashApiKey, type IntegrationType, isWellFormedApiKey } from '../../core/api-key.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import type { RecordStore } from '../../stores/record-store.ts';

/** The key of that value, whatever its state; undefined when the store has none, or had it deleted. */
export async function keyOfValue(
  store: Pick<RecordStore, 'findKeyByHash'>,
  value: string | undefined,
): Promise<ApiKeyRecord | undefined> {
  return value === undefined ? undefined : (await store.findKeyByHash(hashApiKey(value)))?.key;
}

/** Why a key was refused, for the test only: the client never learns it. */
export function whyRefused(
  value: string | undefined,
  key: ApiKeyRecord | undefined,
  wanted: IntegrationType,
): string {
  const place = wanted === 'api' ? 'header x-api-key' : 'query parameter key';
  if (value === undefined) return `The request has no ${place}, or more than one.`;
  if (key && !key.active) return `The key "${key.name}" is disabled.`;
  if (key) return `The key "${key.name}" has the type ${key.type}; this endpoint needs ${wanted}.`;
  return isWellFormedApiKey(value)
    ? 'The key does not exist, or was deleted.'
    : 'The text does not have the form of a key, or its checksum is wrong: it is mistyped.';
}
