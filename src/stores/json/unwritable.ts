import { TicketscanError } from '../../core/errors.ts';
import { type Ticket, UNUSED } from '../../core/ticket.ts';
import type { StoreMethod } from '../forwarding-store.ts';
import type { Change, InsertOptions, RecordChange } from '../record-store.ts';
import type { Store } from '../store.ts';
import type { StoredKey } from '../transfer/records.ts';
import { isInDocument, LISTS, type List, unwritable } from './document.ts';

type Written = readonly [list: List, record: unknown];
type Arguments = { readonly [Method in StoreMethod]: Parameters<Store[Method]> };

/** The records that each method writes into lists of the document. What a store keeps of a ticket besides the record is not checked. */
const WRITTEN: { readonly [Method in StoreMethod]?: (...args: Arguments[Method]) => Written[] } = {
  write: (change) => writtenBy(change),
  insertTickets: (tickets, _, options) => [
    ...tickets.map((ticket): Written => ['tickets', { ...UNUSED, ...ticket }]),
    ...writtenBy((options as InsertOptions | undefined)?.owners ?? { audit: [] }),
  ],
  editTicket: (_id, edits) => [['tickets', { ...A_TICKET, ...edits }]],
  cancelTickets: (_ids, cancelledAt) => [['tickets', { ...A_TICKET, cancelledAt }]],
  importRecords: ({ section, records }) =>
    isList(section) ? withoutDeleted(section, records).map((one): Written => [section, one]) : [],
};

const A_TICKET: Ticket = {
  id: `tkt_abcdef_${'0'.repeat(20)}`,
  eventId: 'abcdef',
  ticketType: 'multi',
  usesAllowed: 1,
  holder: null,
  validFrom: null,
  validUntil: null,
  createdAt: 0,
  ...UNUSED,
};

/** @throws TicketscanError `usage` for a record that the document could not hold: it could never be written again */
export function refuseUnwritable(method: StoreMethod, args: readonly unknown[]): void {
  const written = WRITTEN[method] as ((...args: readonly unknown[]) => Written[]) | undefined;
  for (const [list, record] of written?.(...args) ?? []) {
    const issue = unwritable(list, record);
    if (issue !== undefined)
      throw new TicketscanError('usage', `The store cannot save that: ${issue}.`);
  }
}

function isList(section: string): section is List {
  return LISTS.some((list) => list === section);
}

/** Leaves out deleted records: a copy brings them, but they are not in the document. */
function withoutDeleted(list: List, records: readonly unknown[]): readonly unknown[] {
  if (list === 'administrative')
    return records.filter((one) => isInDocument(one as Parameters<typeof isInDocument>[0]));
  if (list === 'keys') return records.filter((one) => (one as StoredKey).deletedAt === null);
  if (list === 'tickets')
    return records.map((one) => {
      const { usesUnlogged: _, ...ticket } = one as Ticket & { readonly usesUnlogged: number };
      return ticket;
    });
  return records;
}

function writtenBy({ records = [], administrative = [] }: Change): Written[] {
  return [
    ...records.flatMap(writtenRecord),
    ...administrative
      .filter(isInDocument)
      .map((one): Written => ['administrative', { ...one, revision: one.revision + 1 }]),
  ];
}

function writtenRecord(change: RecordChange): Written[] {
  const { kind, after } = change;
  if (!after || kind === 'scanner') return [];
  if (kind !== 'key') return [[`${kind}s`, after]];
  const key = { record: after, hash: change.hash ?? 'kept', previousHash: null, deletedAt: null };
  return [['keys', key]];
}
