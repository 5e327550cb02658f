import * as z from 'zod';
import type { AdministrativeDocument } from '../../../core/administrative-records.ts';
import type { EventRecord } from '../../../core/records.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { documentRecordOf, eventRecordOf, keyRecordOf, ticketRecordOf } from './content-state.ts';
import { DOCUMENT_RECORDS } from './document.ts';
import type { Change, RecordedState } from './recorded-state.ts';

type DocumentList = keyof typeof DOCUMENT_RECORDS;

const TO_RECORD: Readonly<Record<DocumentList, (value: never) => unknown>> = {
  organisations: (value: unknown) => value,
  events: (value: EventRecord) => eventRecordOf(value),
  keys: keyRecordOf,
  documents: (value: AdministrativeDocument) => documentRecordOf(value),
  tickets: (value: Ticket) => ticketRecordOf(value),
};

/**
 * What is wrong with a new or changed record that the document could not hold; undefined when it can hold all.
 * @param state after the changes
 */
export function unwritableIn(changes: readonly Change[], state: RecordedState): string | undefined {
  for (const [kind, list, key] of changes) {
    if ((kind !== 'set' && kind !== 'edit') || !isDocumentList(list)) continue;
    const value = state[list].get(key);
    const issue = value && mistakeIn(list, value);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

function isDocumentList(name: string): name is DocumentList {
  return name in DOCUMENT_RECORDS;
}

function mistakeIn(list: DocumentList, value: unknown): string | undefined {
  const record = TO_RECORD[list](value as never);
  try {
    const { error } = z.safeEncode(DOCUMENT_RECORDS[list] as z.ZodType, record);
    const issue = error?.issues[0];
    return issue && `${list}: ${issue.path.join('.')} ${issue.message}`;
  } catch (error) {
    // A time that no calendar has cannot even be written.
    if (error instanceof RangeError) return `${list}: ${error.message}`;
    throw error;
  }
}
