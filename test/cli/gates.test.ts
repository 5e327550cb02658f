import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { consume, presentCard } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';
import { RemoteFolder } from '../support/remote.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

let remote: RemoteFolder;
const here = new InProcess();
beforeAll(async () => {
  remote = await RemoteFolder.start(1);
});
afterAll(async () => {
  await remote[Symbol.asyncDispose]();
  await here[Symbol.asyncDispose]();
});

/** The store of the server, and the server: a command says the same of both. */
const WAYS = [
  [
    'on the store',
    () => ({ TICKETSCAN_STORE: `sqlite:${join(remote.cli.path, 'ticketscan.db')}` }),
  ],
  ['at a server', () => remote.environment],
] as const;

test.each(WAYS)('exits, rotation, expiry and people inside, %s', async (place, where) => {
  const env = where();
  const name = `Turnstile ${place}`;
  const terms = ['--readers', '0=in,1=out', '--on-exit', 'open', '--expires', '2999-01-01'];
  const create = ['keys', 'create', '--name', name, '--type', 'hardware', ...terms];
  const made = await here.json(create, env);
  const rotated = await here.json(['keys', 'rotate', name, '--overlap', '2h'], env);
  expect(rotated).toMatchObject({ id: made.id, rotations: 1, readers: { 0: 'in', 1: 'out' } });
  expect([rotated.key === made.key, rotated.cardUrl]).toEqual([
    false,
    expect.stringContaining(rotated.key),
  ]);
  const aheadMs = Date.parse(rotated.previousUntil) - Date.now();
  expect(aheadMs / 60_000).toBeCloseTo(120, 0);

  const [card = ''] = remote.target.tickets['permanent'] ?? [];
  const entered = await presentCard(remote.server.url, made.key, card);
  const left = await presentCard(remote.server.url, rotated.key, card, 1);
  expect([entered.ActIndex, left.ActIndex]).toEqual(['0', '1']);
  const events: { name: string; inside: Record<string, number> }[] = await here.json(
    'events list',
    env,
  );
  const event = events.find(({ inside }) => inside['exited'] === 1);
  // The sample data has entries of its own.
  expect(event?.inside['people']).toBe(Number(event?.inside['entered']) - 1);
  expect((await here.run('log', env)).out).toMatch(/consumed in .*\n.*opened out /);
  expect((await here.run('keys list', env)).out).toContain('0=in,1=out (out: open)');
  const reset = await here.json(['events', 'reset-inside', event?.name ?? ''], env);
  expect(reset).toMatchObject({ inside: { people: 0, entered: 0 } });
  const never = await here.json(['keys', 'edit', name, '--expires', 'never'], env);
  expect(never).not.toHaveProperty('expiresAt');
});

test('stats counts what was scanned alike on the store and at a server, for people, spreadsheets and programs', async () => {
  const [store, server] = WAYS.map(([, where]) => where());
  const [code = ''] = remote.target.tickets['single'] ?? [];
  for (let scan = 0; scan < 2; scan += 1) await consume(remote.server.url, remote.restKey, code);
  const park = ['--organisation', 'Sample leisure park'];
  const byType = ['stats', '--by', 'type', '--time-zone', 'America/St_Johns', ...park];
  const counted = await here.json(byType, store);
  expect(counted).toMatchObject({
    by: 'type',
    timeZone: 'America/St_Johns',
    rows: expect.arrayContaining([
      expect.objectContaining({ type: 'single', denied: 1, validations: 0, undone: 0 }),
    ]),
    byReason: [{ reason: 'exhausted', count: 1 }],
  });
  expect(await here.json(byType, server)).toEqual(counted);

  const event = ['--event', 'Summer pool'];
  const table = await here.run(['stats', ...event], store);
  expect(table.out).toMatch(/^total +\d+ +1 +0/m);
  expect(table.out).toMatch(/^Denied: exhausted 1$/m);
  for (const env of [store, server]) {
    const closing = (await here.run(['stats', 'closing', ...event], env)).out;
    expect(closing).toMatch(/^EVENT .* WHY DENIED\nSummer pool .* exhausted 1$/m);
    expect(closing.match(/^GATE .* WHY DENIED$/gm)).toHaveLength(1);
    const both = ['stats', 'closing', ...event, '--beside-event', 'Summer pool'];
    const beside = (await here.run(both, env)).out;
    expect(beside).toMatch(/^Summer pool .* exhausted 1 \/ exhausted 1$/m);
  }
  const csv = await here.run(['stats', '--csv', '--by', 'hour', ...event], server);
  const [heads, ...hours] = csv.out.trim().split('\n');
  expect(heads).toBe('hour,admitted,denied,validations,undone,exits');
  expect(hours.length).toBeGreaterThan(7 * 24 - 2);
  await here.json(['organisations', 'edit', 'Sample leisure park', '--language', 'de'], store);
  for (const env of [store, server]) {
    const excel = await here.run(['stats', '--excel', '--by', 'type', ...event], env);
    expect(excel.out).toMatch(/^\ufeffTicketart;Eingelassen;Abgewiesen;[\s\S]*\nEinzelticket;/u);
  }
});

test.each(WAYS)('organisations say when people inside are reset, %s', async (_, where) => {
  const env = where();
  const park = 'Sample leisure park';
  const edit = ['organisations', 'edit', park];
  const edited = await here.run([...edit, '--inside-from', '05:30'], env);
  expect(edited.out).toContain('People inside are reset each day at 05:30.');
  expect(await here.json(edit, env)).toMatchObject({ name: park, insideFrom: '05:30' });
  const listed: { name: string; insideFrom: string }[] = await here.json('organisations list', env);
  expect(listed.find(({ name }) => name === park)?.insideFrom).toBe('05:30');
  const { out } = await here.run('organisations list', env);
  expect(out).toMatch(/ INSIDE RESET$/m);
  expect(out).toMatch(new RegExp(`${park} .* 05:30$`, 'm'));
  await here.json([...edit, '--inside-from', '04:00'], env);
});

test('serve and doctor warn when the clock is before the newest log entry, and name both times', async () => {
  await using folder = new InProcess();
  await folder.run('organisations create --name Lido --time-zone Europe/Berlin');
  await folder.run('keys create --name Gate --type hardware');
  const ahead = Date.now() + 200 * DAY_MS;
  const url = `sqlite:${join(folder.path, 'ticketscan.db')}`;
  const doctor = async () => (await folder.run('doctor --port 0')).out;
  await scanAt(url, Date.now() - 1000);
  expect(await doctor()).not.toContain('scan log, ');
  await scanAt(url, ahead);

  const out = await doctor();
  const server = await remote.cli.serve(['--store', url]);
  const inBerlin = (at: number) =>
    new Date(at).toLocaleString('sv-SE', { timeZone: 'Europe/Berlin' });
  expect(out).toMatch(/^WARN {2}clock/m);
  for (const text of [out, server.messages()]) {
    expect(text).toContain(`The clock of this machine shows ${inBerlin(Date.now()).slice(0, 13)}`);
    expect(text).toContain(`newest entry of the scan log, ${inBerlin(ahead)} (Europe/Berlin)`);
  }
  expect(remote.server.messages()).not.toContain('clock');
});

async function scanAt(url: string, now: number): Promise<void> {
  const store = await openStore(url);
  const [key] = await store.list('key');
  const scan = {
    kind: 'scan' as const,
    operation: 'consume' as const,
    subject: { kind: 'unreadable' as const },
    keyId: key!.id,
    now,
    serial: 'TOR1',
    reader: '0',
    retry: null,
  };
  await store.commitScans([scan]);
  await store.close();
}
