import type { AdministrativeRecord } from '../../core/administrative-records.ts';
import { refuse } from '../../core/errors.ts';
import type { Organisation } from '../../core/records.ts';
import { chosenZone } from '../../core/time-zone.ts';
import { shortened } from '../../kit/text.ts';
import type { RecordStore } from '../../stores/record-store.ts';

type SettingStore = Pick<RecordStore, 'read'>;

/** The kind of the record with the time of the daily reset of people inside. Without it that is `USUALLY`, when hardly anybody is inside. */
const KIND = 'inside-from';
const USUALLY = '04:00';
/** People inside are reset by hand only: where guests stay over night. */
export const NEVER_ANEW = 'never';
/** Scans are counted by quarters of an hour. */
const QUARTER = /^(?:[01]\d|2[0-3]):(?:00|15|30|45)$/;

/** The daily reset of people inside, and by whose clocks it is. */
export interface InsideRule {
  /** Such as `04:00`, or `never`. */
  readonly from: string;
  readonly timeZone: string;
}

/** @throws TicketscanError `usage` for what is neither a quarter of an hour nor `never` */
export function checkInsideFrom(text: string): string {
  if (text === NEVER_ANEW || QUARTER.test(text)) return text;
  throw refuse('inside_from_invalid', { text: shortened(text) });
}

/** The time of the daily reset of people inside the events of an organisation. */
export async function insideFromOf(store: SettingStore, id: string): Promise<string> {
  const value = (await store.read(KIND, id))?.value;
  return typeof value === 'string' ? value : USUALLY;
}

/** The same with its time zone: that of the organisation, else that of this machine. */
export async function insideRuleOf(
  store: SettingStore,
  { id, timeZone }: Pick<Organisation, 'id' | 'timeZone'>,
): Promise<InsideRule> {
  return { from: await insideFromOf(store, id), timeZone: chosenZone(undefined, { timeZone }) };
}

/** The record to write when somebody chooses another time. @throws TicketscanError `usage` as `checkInsideFrom` does */
export async function changedInsideFrom(
  store: SettingStore,
  id: string,
  from: string,
): Promise<AdministrativeRecord> {
  const revision = (await store.read(KIND, id))?.revision ?? 0;
  return { kind: KIND, id, revision, value: checkInsideFrom(from) };
}
