import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Ticket } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { sharedService } from './support/shared-service.ts';

/** Times behind which a year has no four digits any more, once they are written in UTC. */
const AFTER = '9999-12-31T23:59:59-14:00';
const BEFORE = '0000-01-01T00:00:00+14:00';

const at = sharedService({ store: 'sqlite' });

const importRow = (row: object) =>
  at.owner.request(
    'POST',
    '/tickets/import?format=jsonl',
    `${JSON.stringify({ ticketId: newId(), type: 'multi', uses: 5, ...row })}\n`,
    { 'content-type': 'application/x-ndjson' },
  );
const newId = () => newTicket({ eventId: event(), kind: 'single' }, 0, randomBytes).id;
const event = () => at.service.seeded.events.main;

describe('times from outside the years 1970 to 9998 are refused', () => {
  test.each([
    { validUntil: AFTER },
    { validFrom: BEFORE },
    { validUntil: '9999-01-01T00:00:00Z' },
    { validFrom: '1969-12-31T23:59:59Z' },
  ])('by the form: %j', async (window) => {
    const answer = await at.owner.post('/tickets', { event: event(), type: 'single', ...window });

    expect(answer.status).toBe(422);
    expect(answer.json).toMatchObject({ field: Object.keys(window)[0] });
    expect(answer.json.message).toContain('1970 to 9998');
  });

  test.each([
    { validUntil: AFTER },
    { validFrom: BEFORE },
    { createdAt: BEFORE },
    { lastConsumedAt: AFTER, usesConsumed: 1 },
  ])('by an import: %j', async (row) => {
    const answer = await importRow(row);

    expect([answer.status, answer.json.faults[0].column]).toEqual([422, Object.keys(row)[0]]);
    expect(answer.json.faults[0].message).toContain('1970 to 9998');
  });

  test.each([
    { validFrom: '1970-01-01T00:00:00Z', validUntil: '9998-12-31T23:59:59.999Z' },
    { createdAt: '1970-01-01T00:00:00Z' },
  ])('the first and the last moment are taken: %j', async (row) => {
    expect((await importRow(row)).status).toBe(200);
  });
});

describe('what has happened already did not happen in the future', () => {
  const ahead = (ms: number) => new Date(at.service.clock.nowMs + ms).toISOString();

  test.each(['createdAt', 'lastConsumedAt', 'cancelledAt'])('%s of an import', async (column) => {
    const refused = await importRow({ usesConsumed: 1, [column]: ahead(300_001) });
    const taken = await importRow({ usesConsumed: 1, [column]: ahead(300_000) });

    expect([refused.status, refused.json.faults[0].column]).toEqual([422, column]);
    expect(refused.json.faults[0].message).toContain('in the future');
    expect(taken.status).toBe(200);
  });
});

describe('rows of an older version whose times have years of five digits, or none', () => {
  const odd = { validUntil: Date.parse(AFTER), validFrom: Date.parse(BEFORE) };
  const years = {
    validUntil: '+010000-01-01T13:59:59.000Z',
    validFrom: '-000001-12-31T10:00:00.000Z',
  };
  let id = '';
  beforeAll(async () => {
    const ticket = newTicket({ eventId: event(), kind: 'multi', uses: 5 }, 0, randomBytes);
    const history: Partial<Ticket> = { usesConsumed: 1, lastConsumedAt: Date.parse(AFTER) };
    await at.service.store.insertTickets([{ ...ticket, ...odd, ...history }], AN_AUDIT_ENTRY);
    ({ id } = ticket);
  });

  test('take no page of the list, and are shown as they are', async () => {
    const { status, json } = await at.owner.get(`/tickets?limit=1000`);
    const shown = json.items.find(({ ticketId }: { ticketId: string }) => ticketId === id);

    expect(status).toBe(200);
    expect(shown).toMatchObject(years);
    expect((await at.owner.get(`/tickets/${id}`)).json).toMatchObject(years);
    for (const act of ['cancel', 'reinstate'])
      expect((await at.owner.post(`/tickets/${act}`, { ids: [id] })).json.items).toMatchObject([
        years,
      ]);
  });

  test('take no export, no log, no device list and no statistics', async () => {
    const { code } = (await at.owner.get(`/tickets/${id}`)).json;
    const scan = await at.service.card('consume', code);
    expect(scan.json).toMatchObject({ AcsRes: '1' });

    for (const path of [
      '/tickets/export',
      '/tickets/export?format=jsonl',
      '/log',
      '/log/export',
      '/log/export?format=jsonl',
      '/devices',
      '/statistics',
      '/statistics/scans?by=hour',
      `/tickets/${id}/sheet.pdf`,
    ]) {
      expect([path, (await at.owner.get(path)).status]).toEqual([path, 200]);
    }
  });
});
