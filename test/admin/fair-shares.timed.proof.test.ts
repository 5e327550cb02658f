import { Agent, request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WORKBOOK_TYPE } from '../../src/kit/workbooks.ts';
import { workbookOf } from '../support/workbooks.ts';
import { type Attacker, BesiegedService, p99 } from './support/besieged-service.ts';
import { AdminClient, PASSWORD } from './support/client.ts';

const AT_ONCE = 48;
/** What a gate may wait, or five times what it waits without the attack. */
const WAIT_MAX_MS = 250;
/** What a gate may wait beside one of the operations, which lasts for some of its scans only. */
const OF_ONE = 3;
const QUIET_MS = 1500;
const SIZES = { tickets: 20_000, entries: 16_000 };

let service: BesiegedService;
let client: AdminClient;

beforeAll(async () => {
  service = await BesiegedService.start(SIZES);
  client = new AdminClient(service.url);
  expect((await client.signIn('Mallory')).status).toBe(201);
});

afterAll(() => service[Symbol.asyncDispose]());

const DAYS = `from=${daysAgo(99)}&to=${daysAgo(0)}`;

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 24 * 60 * 60_000).toISOString().slice(0, 10);
}

/** The dearest thing that an operation can be asked. One with a body that is not here fails the test. */
function dearest(attacker: Attacker): Record<string, { query?: string; body?: unknown }> {
  const { eventId: event, keyId, ticketIds } = attacker;
  const some = (count: number) => ticketIds.slice(0, count);
  const long = 'x'.repeat(60_000);
  const list = `firstName\n${'Ada\n'.repeat(1000)}`;
  const rows = Array.from({ length: 20_000 }, (_, index) => {
    return `tkt_${event}_${String(index).padStart(20, '0')},${event},single`;
  });
  return {
    exportTickets: { query: 'format=csv' },
    exportLog: { query: 'format=jsonl' },
    getScanStatistics: { query: `by=hour&timeZone=America/St_Johns&${DAYS}` },
    exportScanStatistics: { query: `by=hour&timeZone=America/St_Johns&${DAYS}` },
    getScanClosing: { query: `timeZone=America/St_Johns&${DAYS}&otherEvent=${event}` },
    exportScanClosing: { query: `timeZone=America/St_Johns&${DAYS}&format=csv` },
    findGuests: { query: 'search=nobody-is-called-that' },
    listTickets: { query: 'limit=1000' },
    readLog: { query: 'limit=1000' },
    readAuditTrail: { query: 'limit=1000' },
    getStatistics: { query: 'minutes=60' },
    signIn: { body: { name: 'Mallory', password: 'wrong' } },
    createSite: { body: { name: long } },
    moveEvent: { body: { to: long } },
    siteFeed: { body: { incarnation: long } },
    siteRows: { body: { incarnation: long } },
    changePassword: { body: { current: 'wrong', next: PASSWORD } },
    createAccount: { body: { name: long, role: 'viewer', password: PASSWORD } },
    changeAccount: { body: { role: long } },
    createAccessToken: { body: { name: 'x', role: 'viewer' } },
    editOrganisation: { body: { name: 'Mallory' } },
    changeSheetSettings: { body: { lines: ['x'.repeat(100)], language: 'de' } },
    createEvent: { body: { name: 'Sea' } },
    renameEvent: { body: { name: 'Lake' } },
    createKey: { body: { name: long, type: 'api', events: Array(1000).fill(event) } },
    changeKey: { body: { events: Array(1000).fill(event) } },
    setNameOfDevice: { body: { key: keyId, serial: '1', name: 'x'.repeat(60_000) } },
    standAt: { body: { way: 'out' } },
    rotateKey: { body: { overlapSeconds: 0 } },
    createTickets: { body: { event, type: 'single', count: 1000 } },
    editTicket: { body: { validUntil: '2030-01-01T00:00:00Z' } },
    cancelTickets: { body: { ids: some(50) } },
    reinstateTickets: { body: { ids: some(50) } },
    cancelManyTickets: { body: { event } },
    deleteManyTickets: { body: { event, after: `place_${SIZES.tickets / 2}` } },
    eraseHolders: { body: { ids: some(100) } },
    importTickets: {
      query: 'format=csv&skipExisting=true',
      body: `ticketId,event,type\n${rows.join('\n')}`,
    },
    createTicketsFromList: { query: `event=${event}`, body: list },
    listFromWorkbook: {
      body: workbookOf([{ name: 'July', rows: list.split('\n').map((row) => row.split(',')) }]),
    },
    getTicketsSheet: { body: { ids: some(40) } },
    redeemPairing: { body: { token: 'x', name: 'Phone' } },
    beginPairing: { body: {} },
    scanTicket: {
      body: { operation: 'validate', ticketCode: some(1)[0], requestId: 'a-request-id' },
    },
    undoUse: { body: { reason: 'an attack' } },
    createWebhook: { body: { name: 'x', url: 'https://nowhere.invalid/' } },
    editWebhook: { body: { name: 'x' } },
  };
}

type Paths = Record<string, Record<string, { operationId: string; requestBody?: object }>>;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly type: string | undefined;
  readonly body: string | Buffer | undefined;
}

/** Every operation of the administration, as the service describes itself, and HEAD for each GET. */
async function operations(attacker: Attacker): Promise<Asked[]> {
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: Paths };
  const asked = dearest(attacker);
  const all = Object.entries(document.paths).flatMap(([path, item]) => {
    if (!path.startsWith('/admin/')) return [];
    return Object.entries(item).flatMap(([method, { operationId, requestBody }]) => {
      const { query = '', body } = asked[operationId] ?? {};
      if (requestBody && body === undefined) throw new Error(`${operationId} has no body here`);
      const one = { path: `${pathFor(path, attacker)}?${query}`, ...bodyOf(body) };
      const methods = method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()];
      return methods.map((name) => ({ ...one, method: name }));
    });
  });
  // What is deleted, and the session, cannot be asked again: last.
  const isLast = ({ method, path }: Asked) =>
    Number(method === 'DELETE' || /tickets\/(delete|erase)/.test(path)) +
    2 * Number(path.includes('/sessions/current'));
  return all.toSorted((a, b) => isLast(a) - isLast(b));
}

function bodyOf(body: unknown): Pick<Asked, 'type' | 'body'> {
  if (body === undefined) return { type: undefined, body: undefined };
  if (typeof body === 'string') return { type: 'text/csv', body };
  if (Buffer.isBuffer(body)) return { type: WORKBOOK_TYPE, body };
  return { type: 'application/json', body: JSON.stringify(body) };
}

function pathFor(path: string, { eventId, keyId, ticketIds }: Attacker): string {
  const id = path.includes('/events/') ? eventId : path.includes('/key') ? keyId : ticketIds[0];
  return path
    .replace('{id}', id ?? '')
    .replace('{sequence}', '1')
    .replace('{hash}', 'a'.repeat(64));
}

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** Resolves with the status when the answer is whole; a live view has no end and is cut off. */
function ask({ method, path, type, body }: Asked): Promise<number> {
  const headers = {
    cookie: client.cookie ?? '',
    origin: service.url,
    ...(type && { 'content-type': type }),
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${service.url}${path}`, { method, agent, headers }, (response) => {
      const status = response.statusCode ?? 0;
      response.on('data', () => {
        if (path.includes('/log/live') && status === 200) response.destroy();
      });
      response.on('close', () => resolve(status));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** Asks one thing 48 times at once. @returns what the gate waited meanwhile, and the statuses */
async function flood(one: Asked): Promise<{ waits: number[]; statuses: number[] }> {
  await service.waits();
  const statuses = await Promise.all(Array.from({ length: AT_ONCE }, () => ask(one)));
  return { waits: await service.waits(), statuses };
}

test('whatever one account asks 48 times at once, the gate of another organisation is answered', async () => {
  const all = await operations(service.attacker);
  await service.waits();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  const bound = Math.max(5 * p99(await service.waits()), WAIT_MAX_MS);
  const beside: number[] = [];
  const slow: string[] = [];
  const failed: string[] = [];
  for (const one of all) {
    const { waits, statuses } = await flood(one);
    const name = `${one.method} ${one.path.slice(0, 60)}`;
    if (p99(waits) > OF_ONE * bound) slow.push(`${name}: ${Math.round(p99(waits))} ms`);
    const faults = statuses.filter((status) => status >= 500 && status !== 503);
    // Places of live views that were cut off are given back a little later.
    const isRefused = statuses.every((status) => status === 503) && !name.includes('/live');
    if (faults.length > 0 || isRefused) failed.push(name);
    beside.push(...waits);
  }
  expect(slow).toEqual([]);
  expect(failed).toEqual([]);
  expect(p99(beside.toSorted((a, b) => a - b))).toBeLessThanOrEqual(bound);
});
