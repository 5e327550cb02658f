import {
  type AdministrativeRecord,
  mayScan,
  type Role,
} from '../../core/administrative-records.ts';
import type { RecordStore } from '../../stores/record-store.ts';

type SettingStore = Pick<RecordStore, 'read'>;

/** The kind of the record that says whether scanners find guests. Without it they do not: a search shows names. */
const KIND = 'guest-search';

/** Whether accounts with the role scanner find the guests of an organisation by name. */
export async function scannersFindGuests(store: SettingStore, id: string): Promise<boolean> {
  return (await store.read(KIND, id))?.value === true;
}

/** Whether an account with this role finds the guests of an organisation by name. */
export async function mayFindGuests(
  store: SettingStore,
  role: Role,
  organisationId: string,
): Promise<boolean> {
  if (role === 'scanner') return scannersFindGuests(store, organisationId);
  return mayScan(role);
}

/** What is to be written when an owner allows it or not. */
export async function changedGuestSearch(
  store: SettingStore,
  id: string,
  value: boolean,
): Promise<AdministrativeRecord> {
  const revision = (await store.read(KIND, id))?.revision ?? 0;
  return { kind: KIND, id, revision, value };
}
