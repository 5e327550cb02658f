import type { AdministrativeDocument } from '../../../core/administrative-records.ts';
import { termsFrom } from '../../../core/key-terms.ts';
import type { ApiKeyRecord, EventRecord } from '../../../core/records.ts';
import { type Ticket, UNUSED, windowFrom } from '../../../core/ticket.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { HeldKey } from '../memory/memory-state.ts';
import { documentName } from '../memory/memory-state.ts';
import { DOCUMENT_FORMAT, type LogPosition, type StoreContent } from './document.ts';
import { RecordedState } from './recorded-state.ts';

/** What the document says, as a state; the log's part is not in it yet. */
export function stateFrom(content: StoreContent): RecordedState {
  const state = new RecordedState();
  for (const organisation of content.organisations) {
    state.organisations.set(organisation.id, organisation);
  }
  for (const event of content.events)
    state.events.set(event.id, { ...event, archivedAt: event.archivedAt ?? null });
  for (const { hash, previousHash, ...record } of content.keys) {
    state.keys.set(record.id, {
      record: withTerms(record),
      hash,
      ...(previousHash && { previousHash }),
    });
  }
  for (const document of content.documents ?? []) {
    state.documents.set(documentName(document.kind, document.id), document);
  }
  for (const { importedUses, ...record } of content.tickets) {
    state.tickets.set(record.id, ticketFrom(record));
    if (importedUses !== undefined) state.importedUses.set(record.id, importedUses);
  }
  state.takeChanges();
  return state;
}

function withTerms({
  readers,
  onExit,
  expiresAt,
  rotations,
  previousUntil,
  device,
  ...record
}: Omit<StoreContent['keys'][number], 'hash' | 'previousHash'>): ApiKeyRecord {
  const terms = { readers, onExit, expiresAt, rotations, previousUntil, device };
  return { ...record, ...termsFrom(terms) };
}

/** The document leaves out what is null. */
function ticketFrom(record: Omit<StoreContent['tickets'][number], 'importedUses'>): Ticket {
  const absent = { holder: null, ...windowFrom({}, Number), ...UNUSED };
  return { ...absent, ...record, eventId: eventOfTicketId(record.id) ?? '' } as Ticket;
}

/** The document of a state, in the order in which its records were created. @param schema kept as people gave it */
export function contentOf(
  state: RecordedState,
  log: LogPosition,
  schema: string | undefined,
): StoreContent {
  return {
    ...(schema !== undefined && { $schema: schema }),
    format: DOCUMENT_FORMAT,
    log,
    organisations: [...state.organisations.values()],
    events: [...state.events.values()].map(eventRecordOf),
    keys: [...state.keys.values()].map(keyRecordOf),
    documents:
      state.documents.size > 0 ? [...state.documents.values()].map(documentRecordOf) : undefined,
    tickets: [...state.tickets.values()].map((ticket) => ({
      ...ticketRecordOf(ticket),
      importedUses: state.importedUses.get(ticket.id),
    })),
  };
}

export function eventRecordOf({
  archivedAt,
  ...event
}: EventRecord): StoreContent['events'][number] {
  return archivedAt === null ? event : { ...event, archivedAt };
}

export function keyRecordOf({ record, hash, previousHash }: HeldKey): StoreContent['keys'][number] {
  const events = record.events === 'all' ? 'all' : [...record.events];
  return { ...record, events, hash, ...(previousHash && { previousHash }) };
}

export function ticketRecordOf({ eventId: _, ...ticket }: Ticket): StoreContent['tickets'][number] {
  const given = Object.entries(ticket).filter(([, value]) => value !== null);
  return Object.fromEntries(given) as StoreContent['tickets'][number];
}

/** Its value as JSON has it: without members that are undefined. */
export function documentRecordOf(
  document: AdministrativeDocument,
): NonNullable<StoreContent['documents']>[number] {
  return { ...document, value: JSON.parse(JSON.stringify(document.value ?? null)) };
}
