import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { DEVICES_PER_KEY_MAX } from '../../src/core/limits.ts';
import { REFUSAL_ROWS_MAX } from '../../src/core/refusal-counts.ts';
import { SERIALS_PER_KEY_MAX } from '../../src/features/statistics/gate-names.ts';
import { AdminClient } from './support/client.ts';
import { makeForeignObjects } from './support/foreign-objects.ts';
import { sharedService } from './support/shared-service.ts';

/** What clients send must not become rows without a bound, nor tell what other organisations have. */
const at = sharedService({
  store: 'sqlite',
  limits: { ratePerSecond: 1e6, burst: 1e6 },
  ticketsPerState: 0,
});

const RANDOM_PART = 'a'.repeat(20);
const scanOf = (ticketCode: string) => ({
  operation: 'consume',
  ticketCode,
  requestId: randomUUID(),
});

test('events that an account makes up are one row of the statistics, in the page, the table and the spreadsheet', async () => {
  const { service, owner } = at;
  const scanner = await AdminClient.signedIn(service, 'scanner');
  for (let index = 0; index < 30; index += 1) {
    const invented = `tkt_zzzz${100 + index}_${RANDOM_PART}`;
    expect((await scanner.post('/scans', scanOf(invented))).json.status).toBe('not_found');
  }
  const { rows } = (await owner.get('/statistics/scans?by=event')).json;
  expect(rows).toMatchObject([{ event: null, eventName: null, denied: 30 }]);
  const table = await owner.get('/statistics/scans/export?by=event');
  expect(table.text.trim().split('\n')).toHaveLength(2);
  const sheet = await owner.get('/statistics/scans/export?by=event&format=excel&language=de');
  expect(sheet.text).toContain('(keine oder unbekannte Veranstaltung)');
});

test.each(['scanner', 'operator', 'owner'] as const)(
  'a typed identifier does not tell the role %s whether another organisation has its event',
  async (role) => {
    const { service } = at;
    const { ids } = await foreign();
    const client = await AdminClient.signedIn(service, role);
    const answers = [];
    for (const typed of [
      `tkt_zzzzzz_${RANDOM_PART}`,
      `tkt_${ids.event}_${RANDOM_PART}`,
      ids.ticket,
      ids.ticket.toUpperCase(),
    ]) {
      for (const operation of ['consume', 'validate'])
        answers.push((await client.post('/scans', { ...scanOf(typed), operation })).json);
    }
    for (const answer of answers) expect(answer).toEqual(answers[0]);
    expect(answers[0]).toMatchObject({ valid: false, status: 'not_found', ticket: null });
    const { items } = (await at.owner.get('/log?limit=8')).json;
    for (const { outcome } of items) expect(outcome).toBe('not_found');
  },
);

let made: ReturnType<typeof makeForeignObjects> | undefined;
function foreign() {
  made ??= makeForeignObjects(at.service);
  return made;
}

/** Every list whose rows are named by what a client sends, with the most rows that one client can make. */
const LISTS = {
  'GET /statistics/scans?by=day': 8,
  'GET /statistics/scans?by=hour': 7 * 24 + 1,
  // The organisation's own, and one of all others.
  'GET /statistics/scans?by=event': 3,
  'GET /statistics/scans?by=gate': SERIALS_PER_KEY_MAX + 6,
  'GET /statistics/scans?by=type': 4,
  'GET /statistics': SERIALS_PER_KEY_MAX + 6,
  'GET /devices': 4 * DEVICES_PER_KEY_MAX,
  'GET /refusals': REFUSAL_ROWS_MAX,
} as const;

test('serials, readers, user agents, keys and codes that clients make up do not fill a list', async () => {
  const { service, owner } = at;
  const hardware = service.key('hardware');
  for (let quarter = 0; quarter < 3; quarter += 1) {
    await together(130, async (index) => {
      const label = `invented-${quarter}-${index}`;
      const body = JSON.stringify({ Card: 'eA==', Serial: label, Reader: label });
      const headers = { 'user-agent': label, 'x-forwarded-for': label, 'x-api-key': label };
      await service.post(`/scan/hw/consume?key=${hardware}`, body, headers);
      await service.post(`/scan/hw/heartbeat?key=${hardware}`, `{"Key":"k","Serial":"b-${label}"}`);
      await service.rest('consume', `${label}${'x'.repeat(30)}`, headers);
      await service.rest('consume', label, { 'user-agent': label, 'idempotency-key': label });
    });
    service.clock.advance(15 * 60_000);
  }
  await service.writeRefusals();
  for (const [list, most] of Object.entries(LISTS)) {
    const { status, json } = await owner.get(list.replace('GET ', ''));
    expect(status, list).toBe(200);
    const lists = Object.values(json).filter(Array.isArray);
    expect(lists.length, list).toBeGreaterThan(0);
    const { minutes: _, ...named } = json;
    for (const rows of Object.values(named).filter(Array.isArray))
      expect(rows.length, list).toBeLessThanOrEqual(most);
  }
  const { rows, totals } = (await owner.get('/statistics/scans?by=gate')).json;
  const sum = rows.reduce((all: number, { denied }: { denied: number }) => all + denied, 0);
  expect(sum).toBe(totals.denied);
  expect(totals.denied).toBeGreaterThanOrEqual(2 * 390);
  const live = (await owner.get('/statistics')).json.byGate;
  expect(new Set(live.map((gate: object) => JSON.stringify(gate))).size).toBe(live.length);
  expect((await service.store.verify()).problems).toEqual([]);
});

async function together(times: number, send: (index: number) => Promise<void>): Promise<void> {
  for (let first = 0; first < times; first += 26)
    await Promise.all(Array.from({ length: 26 }, (_, index) => send(first + index)));
}
