import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ROLES } from '../../src/core/administrative-records.ts';
import { TICKET_STATES } from '../../src/core/decision.ts';
import { KEY_CHOICE_NAMES } from '../../src/core/key-settings.ts';
import { REFUSAL_REASONS, type RefusalReason } from '../../src/core/outcome-names.ts';
import {
  AccessTokenJson,
  AccountJson,
  EventJson,
  HolderJson,
  KeyJson,
  type LogEntry,
  LogEntryJson,
  logEntryFromView,
  logEntryToJson,
  OrganisationJson,
  RefusalListJson,
  TicketJson,
  Time,
  TimeOrNull,
  ticketFromView,
  ticketToJson,
  ticketView,
} from '../../src/core/records.ts';
import { handedOutToJson } from '../../src/core/ticket.ts';
import { fieldsThat, TICKET_FIELD_NAMES } from '../../src/core/ticket-fields.ts';
import { A_FIELD_OF_EACH } from '../support/ticket-fields.ts';
import { aTicket, NOW } from '../support/tickets.ts';

const AT = '2026-11-23T11:00:00.000Z';

const ENTRY = {
  sequence: 7,
  at: AT,
  keyId: 'key_1',
  serial: 'SN 7',
  reader: '0',
  operation: 'undo' as const,
  outcome: 'undone' as const,
  reason: 'expired',
  ticketId: 'tkt_ab12cd_0123456789abcdefghij',
  excerpt: 'TS1.tkt_…',
  usesConsumed: 1,
  replayed: false,
  undo: { sequence: 6, by: 'Ada', reason: 'wrong ticket' },
  undoneBy: 8,
  direction: 'in' as const,
  done: 'consumed' as const,
};

const REFUSALS = {
  items: [
    {
      reason: 'missing_key' as const,
      key: null,
      keyId: 'key_1',
      serial: null,
      address: '192.0.2.7',
      endpoint: '/scan/consume',
      times: 2,
      firstAt: AT,
      lastAt: AT,
    },
  ],
  others: { times: 1, firstAt: AT, lastAt: AT },
  unknownKeys: false,
};

const KEY = {
  id: 'key_1',
  organisationId: 'org_1',
  name: 'Gate',
  type: 'hardware' as const,
  events: 'all' as const,
  active: true,
  relay: 'auto' as const,
  openSeconds: 5,
  readers: { '1': 'out' as const, '*': 'in' as const },
  onExit: 'open' as const,
  nameOnDisplay: 'none' as const,
  device: 'turnstile',
  createdAt: AT,
  expiresAt: AT,
  rotations: 1,
  previousUntil: AT,
};

const TICKET = ticketToJson(
  aTicket({
    holder: { firstName: 'Ada', lastName: 'Lovelace' },
    validFrom: NOW,
    validUntil: NOW,
    cancelledAt: NOW,
    lastConsumedAt: NOW,
    batch: 'bat_0123456789',
    ...A_FIELD_OF_EACH,
  }),
  NOW,
);

/** A record with every member, and those of its members that may be missing or null. */
const RECORDS = [
  {
    schema: OrganisationJson,
    id: 'Organisation',
    record: {
      id: 'org_1',
      name: 'Pool',
      limits: { ratePerSecond: 0.5, burst: 1, quotaPerMonth: 1, keysMax: 1 },
      timeZone: 'Europe/Berlin',
      sampleNeighbour: true as const,
      createdAt: AT,
    },
    missing: ['timeZone', 'sampleNeighbour'],
    empty: [],
  },
  {
    schema: EventJson,
    record: { id: 'ab12cd', organisationId: 'org_1', name: 'Pool', createdAt: AT, archivedAt: AT },
    missing: [],
    empty: ['archivedAt'],
  },
  {
    schema: KeyJson,
    record: KEY,
    missing: ['readers', ...KEY_CHOICE_NAMES, 'device', 'expiresAt', 'rotations', 'previousUntil'],
    empty: [],
  },
  {
    schema: AccountJson,
    id: 'Account',
    record: {
      id: 'acc_1',
      name: 'Ada',
      role: 'owner',
      events: ['a'],
      createdAt: AT,
      lastSignInAt: AT,
    },
    missing: [],
    empty: ['lastSignInAt'],
  },
  {
    schema: AccessTokenJson,
    id: 'AccessToken',
    record: { id: 'tok_1', name: 'CI', role: 'viewer', createdAt: AT, expiresAt: AT },
    missing: [],
    empty: [],
  },
  {
    schema: LogEntryJson,
    id: 'LogEntry',
    record: ENTRY,
    missing: ['undo', 'undoneBy', 'direction', 'done'],
    empty: ['serial', 'reader', 'reason', 'ticketId', 'excerpt', 'usesConsumed'],
  },
  { schema: RefusalListJson, record: REFUSALS, missing: [], empty: ['others'] },
  {
    schema: TicketJson,
    id: 'Ticket',
    record: TICKET,
    missing: ['batch', ...TICKET_FIELD_NAMES],
    empty: [
      'holder',
      'validFrom',
      'validUntil',
      'cancelledAt',
      'lastConsumedAt',
      'batch',
      ...fieldsThat(({ kind }) => kind === 'text'),
    ],
  },
  { schema: HolderJson, record: { firstName: 'Ada', lastName: '' }, missing: [], empty: [] },
];

describe.each(RECORDS.map((one) => [Object.keys(one.record).join(), one] as const))(
  'the record of %s',
  (_members, { schema, id, record, missing, empty }) => {
    const without = (name: string) =>
      Object.fromEntries(Object.entries(record).filter(([one]) => one !== name));
    const isRead = (value: unknown) => schema.safeParse(value).success;

    test('is read with all its members, under its name in the API document', () => {
      expect(z.encode(schema, schema.parse(record) as never)).toEqual(record);
      expect(schema.meta()?.id).toBe(id);
    });

    test.each(Object.keys(record))(
      'its %s may be missing or null only where it is said',
      (name) => {
        expect(isRead(without(name))).toBe(missing.some((one) => one === name));
        expect(isRead({ ...record, [name]: null })).toBe(empty.some((one) => one === name));
        expect(isRead({ ...record, [name]: Symbol('of no type') })).toBe(false);
      },
    );
  },
);

test.each([
  [OrganisationJson, { limits: { ratePerSecond: 0, burst: 1, quotaPerMonth: 1, keysMax: 1 } }],
  [OrganisationJson, { limits: { ratePerSecond: 1, burst: 0, quotaPerMonth: 1, keysMax: 1 } }],
  [OrganisationJson, { limits: { ratePerSecond: 1, burst: 1, quotaPerMonth: 0, keysMax: 1 } }],
  [OrganisationJson, { limits: { ratePerSecond: 1, burst: 1, quotaPerMonth: 1, keysMax: 0 } }],
  [KeyJson, { events: 'some' }],
  [KeyJson, { relay: 'both' }],
  [KeyJson, { type: 'other' }],
  [KeyJson, { openSeconds: 1.5 }],
  [KeyJson, { readers: { '1': 'up' } }],
  [AccountJson, { events: 'some' }],
  [AccountJson, { role: 'admin' }],
  [LogEntryJson, { operation: 'open' }],
  [LogEntryJson, { undo: { sequence: 6, by: 'Ada' } }],
  [TicketJson, { ticketType: 'permanent' }],
  [TicketJson, { state: 'gone' }],
] as const)('%# what no record holds is not read', (schema, part) => {
  const { record } = RECORDS.find((one) => one.schema === schema)!;
  expect(schema.safeParse({ ...record, ...part }).success).toBe(false);
});

test('every value of a fixed set is read', () => {
  const key = (part: object) => KeyJson.safeParse({ ...KEY, ...part }).success;
  expect(['auto', 'in', 'out'].every((relay) => key({ relay }))).toBe(true);
  expect(key({ events: ['ab12cd'] })).toBe(true);
  const entry = (operation: string) => LogEntryJson.safeParse({ ...ENTRY, operation }).success;
  expect(['validate', 'consume', 'undo'].every(entry)).toBe(true);
  const ticket = (part: object) => TicketJson.safeParse({ ...TICKET, ...part }).success;
  expect(TICKET_STATES.every((state) => ticket({ state }))).toBe(true);
  expect(ticket({ state: 'used' })).toBe(false);
  expect(['single', 'multi'].every((ticketType) => ticket({ ticketType }))).toBe(true);
  const account = { ...RECORDS[3]?.record, events: 'all' };
  expect(ROLES.every((role) => AccountJson.safeParse({ ...account, role }).success)).toBe(true);
  for (const reason of Object.keys(REFUSAL_REASONS) as RefusalReason[]) {
    const items = REFUSALS.items.map((one) => ({ ...one, reason }));
    expect(RefusalListJson.safeParse({ ...REFUSALS, items }).success).toBe(true);
  }
});

test('a log entry comes back from its JSON; what is absent stays absent', () => {
  const read = (json: object) => logEntryFromView(LogEntryJson.parse(json));
  const entry = read(ENTRY);
  expect(entry).toMatchObject({
    at: Date.parse(AT),
    status: 'undone',
    undo: ENTRY.undo,
    undoneBy: 8,
  });
  expect(entry).not.toHaveProperty('outcome');
  expect(logEntryToJson(entry)).toEqual(ENTRY);
  const { undo: _, undoneBy: __, ...plain } = entry;
  const again = read(logEntryToJson(plain satisfies LogEntry));
  expect(Object.keys(again).toSorted()).toEqual(Object.keys(plain).toSorted());
  expect(read({ ...ENTRY, undoneBy: 0 }).undoneBy).toBe(0);
});

test('a ticket comes back from its JSON, whose members are in one order', () => {
  const ticket = aTicket({ usesAllowed: 10, ticketType: 'multi', usesConsumed: 3 });
  const json = ticketToJson(ticket, NOW);
  expect(json).toMatchObject({ ticketId: ticket.id, event: ticket.eventId, usesRemaining: 7 });
  expect(json.batch).toBeNull();
  expect(Object.keys(json)).toEqual(Object.keys(TicketJson.shape));
  expect(ticketFromView(ticketView(ticket, NOW))).toEqual(ticket);
  expect(ticketFromView(TicketJson.parse(json))).toEqual(ticket);
  expect(ticketFromView(TicketJson.parse(json))).not.toHaveProperty('batch');
  expect(ticketFromView(TicketJson.parse(TICKET)).batch).toBe('bat_0123456789');
});

test('a ticket is handed out with every field that people write on it', () => {
  const written = { reference: 'R9', note: 'N9', attention: true } as const;
  const json = handedOutToJson({ ...aTicket(written), code: 'TS1.x.y' });
  expect(json).toMatchObject(written);
  expect(Object.keys(json)).toEqual(expect.arrayContaining(TICKET_FIELD_NAMES));
  expect(handedOutToJson({ ...aTicket(), code: 'TS1.x.y' })).toMatchObject({
    reference: null,
    note: null,
    attention: false,
  });
});

test('a ticket is handed out with its code, and without what is not the holder’s', () => {
  const ticket = { ...aTicket({ batch: 'bat_0123456789' }), code: 'TS1.x.y', eventName: 'Pool' };
  const json = handedOutToJson(ticket);
  expect(json).toMatchObject({ ticketId: ticket.id, event: ticket.eventId, code: 'TS1.x.y' });
  for (const name of ['id', 'eventId', 'eventName', 'createdAt', 'batch']) {
    expect(json).not.toHaveProperty(name);
  }
});

test('parts that others use have names in the API document, and times their format', () => {
  const { limits, createdAt } = OrganisationJson.shape;
  expect(limits.meta()?.id).toBe('Limits');
  expect(AccountJson.shape.role.meta()?.id).toBe('Role');
  expect(RefusalListJson.shape.items.element.meta()?.id).toBe('Refusal');
  expect(createdAt.def.in.meta()).toEqual({ format: 'date-time' });
});

test('a time is milliseconds in the program and ISO 8601 in JSON; null stays null', () => {
  expect(z.decode(Time, AT)).toBe(Date.parse(AT));
  expect(z.encode(Time, Date.parse(AT))).toBe(AT);
  expect(z.encode(Time, 1e16)).toBe('+275760-09-13T00:00:00.000Z');
  expect(z.encode(TimeOrNull, null)).toBeNull();
  expect(z.decode(TimeOrNull, null)).toBeNull();
  expect(Time.safeParse('yesterday').success).toBe(false);
});
