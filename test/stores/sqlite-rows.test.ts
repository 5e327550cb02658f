import { expect, test } from 'vitest';
import type { NewLogEntry } from '../../src/core/scan-requests.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { eventOfTicketId } from '../../src/core/ticket-id.ts';
import { columnsOf, recordFrom } from '../../src/stores/sql/rows.ts';
import { ENTRY_COLUMNS, TEXTS } from '../../src/stores/sqlite/log-values.ts';
import { openDatabase } from '../../src/stores/sqlite/open-database.ts';
import { SqliteScanState } from '../../src/stores/sqlite/sqlite-scan-state.ts';
import {
  columnsFromTicket,
  SCANNED_COLUMNS,
  TICKETS,
  type TicketColumns,
  ticketFromColumns,
} from '../../src/stores/ticket-row.ts';
import { aTicket, NOW } from '../support/tickets.ts';

/** A row of `ticket_record`, by column. */
const row = {
  id: 'tkt_abcdef_0123456789abcdefghij',
  type: 'multi',
  uses_allowed: 5,
  first_name: 'Ada' as string | null,
  last_name: 'Lovelace' as string | null,
  valid_from: 1,
  valid_until: 2,
  cancelled_at: 3,
  created_at: 4,
  batch: 'bat_0123456789',
  uses_consumed: 6,
  last_consumed_at: 7,
};
type Row = typeof row;

/** The ticket as a list reads it. */
function byName(one: Row): Ticket {
  const names = [...columnsOf(TICKETS.columns).matchAll(/r\.(\w+) AS "([^"]+)"/g)];
  const read = names.map(([, column, member]) => [member, one[column as keyof Row] ?? null]);
  return recordFrom(TEXTS, TICKETS.columns, Object.fromEntries(read));
}

/** The columns that a statement gives when it returns arrays: the same, and the row's number. */
function inOrder(one: Row): TicketColumns {
  const scanned = SCANNED_COLUMNS.split(', ').map((name) => one[name as keyof Row]);
  return [...scanned, one.uses_consumed, one.last_consumed_at, 1] as unknown as TicketColumns;
}

/** The ticket as a scan reads it. */
function byScan(one: Row): Ticket {
  return ticketFromColumns(one.id, eventOfTicketId(one.id) ?? '', inOrder(one));
}

test.each([
  ['by name', byName],
  ['in order', byScan],
])('every column of a row is where it belongs in the ticket, %s', (_, read) => {
  expect(read(row)).toEqual({
    id: row.id,
    eventId: 'abcdef',
    batch: 'bat_0123456789',
    ticketType: 'multi',
    usesAllowed: 5,
    holder: { firstName: 'Ada', lastName: 'Lovelace' },
    validFrom: 1,
    validUntil: 2,
    cancelledAt: 3,
    createdAt: 4,
    usesConsumed: 6,
    lastConsumedAt: 7,
  });
});

test('a ticket crosses between the threads with its columns in the order of the row', () => {
  expect([...columnsFromTicket(byScan(row)), 1]).toEqual(inOrder(row));
});

test.each([
  ['by name', byName],
  ['in order', byScan],
])('a row that another program wrote is read as far as it goes, %s', (_, read) => {
  const odd = { ...row, id: 'TICKET 1', last_name: null };
  expect(read(odd)).toMatchObject({
    id: 'TICKET 1',
    eventId: '',
    holder: { firstName: 'Ada', lastName: '' },
  });
  expect(read({ ...row, first_name: null }).holder).toBeNull();
});

test('the columns of the log are those that a scan writes, in its order', () => {
  // As `SqliteScanState.appendLog` writes them out: a column that is new or moved has to be new or moved there too.
  expect(ENTRY_COLUMNS.join(' ')).toBe(
    'sequence at api_key serial reader operation status reason ticket ticket_text excerpt uses_consumed replayed direction done by_hand site',
  );
});

test('what was not read before in the batch cannot be written', () => {
  const { database } = openDatabase(':memory:');
  const state = new SqliteScanState(database);
  state.begin();
  const entry: NewLogEntry = {
    at: NOW,
    keyId: 'key_none',
    serial: null,
    reader: null,
    operation: 'consume',
    status: 'not_found',
    reason: null,
    ticketId: null,
    excerpt: null,
    usesConsumed: null,
    replayed: false,
  };

  expect(() => state.saveUse(aTicket())).toThrow(
    `ticket ${aTicket().id} was used before it was read`,
  );
  expect(() => state.appendLog(entry)).toThrow('key key_none is not in the store');
  database.close();
});
