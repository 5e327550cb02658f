import { ACCOUNT_ID } from '../../core/administrative-records.ts';
import { hashApiKey } from '../../core/api-key.ts';
import type { ApiKeyRecord, ScannerRecord } from '../../core/records.ts';

/** An account that scans, as it is kept among the keys. No value has its hash: a hash of a key is of a text with another beginning. */
export function keyOfScanner(scanner: ScannerRecord): { key: ApiKeyRecord; hash: string } {
  const { id, organisationId, name, createdAt } = scanner;
  const fixed = {
    type: 'api',
    events: 'all',
    active: true,
    relay: 'auto',
    openSeconds: 5,
  } as const;
  return { key: { id, organisationId, name, ...fixed, createdAt }, hash: hashApiKey(id) };
}

/** SQL that is true for the id of an account that scans. */
export function isScanner(id: string): string {
  return `substr(${id}, 1, ${ACCOUNT_ID.length}) = '${ACCOUNT_ID}'`;
}

export function scannerOfKey({ id, organisationId, name, createdAt }: ApiKeyRecord): ScannerRecord {
  return { id, organisationId, name, createdAt };
}
