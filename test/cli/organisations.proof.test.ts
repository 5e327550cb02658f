import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openStore } from '../../src/stores/open-store.ts';
import { InProcess } from '../support/in-process.ts';

const ENV = { PW: 'correct horse battery' };
let folder: InProcess;
beforeEach(async () => {
  folder = new InProcess();
  await folder.run('organisations create --name Pool');
});
afterEach(() => folder[Symbol.asyncDispose]());

/** Runs what must succeed. */
async function all(...lines: string[]): Promise<void> {
  for (const line of lines) {
    const { code, err } = await folder.run(line, ENV);
    expect([line, code, err]).toEqual([line, 0, expect.any(String)]);
  }
}
const owner = (name: string, organisation: string) =>
  `accounts create --name ${name} --role owner --password env:PW --organisation ${organisation}`;

test('an organisation goes with its accounts and tickets, after a question that says what goes', async () => {
  const remove = 'organisations delete Typo';
  await all('organisations create --name Typo --time-zone Europe/Berlin', owner('ada', 'Typo'));
  const accounts = await folder.run(`${remove} --yes`);
  const lastOwner = await folder.run(`${remove} --with-accounts --yes`);
  await all(
    owner('bob', 'Pool'),
    'events create --name Summer --organisation Typo',
    'events create --name Winter --organisation Typo',
    'mint --event Summer --count 3',
    'mint --event Winter --count 2',
    'keys create --name gate --type api --organisation Typo',
  );
  await scanTwo();
  const tickets = await folder.run(`${remove} --with-accounts --yes`);
  const asked = await folder.run(`${remove} --with-tickets`);
  await all(`${remove} --with-tickets --yes`);

  for (const refused of [accounts, lastOwner, tickets]) expect(refused.failure).toBe('conflict');
  expect(asked.failure).toBe('usage');
  expect(asked.err).toContain(
    'with 1 account: ada (owner), with 5 tickets (3 of them STILL VALID; last scanned 2026-07-01 10:00',
  );
  expect(asked.err).toContain('2 events and every API key. Add --yes');
  expect(
    (await folder.json('organisations list')).map(({ name }: { name: string }) => name),
  ).toEqual(['Pool']);
  expect(await folder.json('accounts list')).toMatchObject([{ name: 'bob', events: 'all' }]);
  const { counts } = await folder.json('store info');
  expect(counts).toMatchObject({ events: 0, tickets: 0, log: 0, keys: 0, counts: 0 });
  expect(await folder.json('audit')).toMatchObject({ ok: true });
});

/** Takes a use of two tickets of the summer, on a morning of July in Berlin. */
async function scanTwo(): Promise<void> {
  const store = await openStore(`sqlite:${folder.path}/ticketscan.db`);
  const [key] = await store.list('key');
  const event = (await store.list('event')).find(({ name }) => name === 'Summer');
  const tickets = await store.listTickets({ eventId: event!.id, limit: 2 });
  const scans = tickets.map(({ id, eventId }) => ({
    kind: 'scan' as const,
    operation: 'consume' as const,
    serial: null,
    reader: null,
    retry: null,
    keyId: key!.id,
    subject: { kind: 'ticket', ticketId: id, eventId } as const,
    now: Date.UTC(2026, 6, 1, 8),
  }));
  await store.commitScans(scans);
  await store.close();
}

test('a time zone is taken away again with none', async () => {
  await all('organisations edit --time-zone Europe/Berlin');
  const edited = await folder.json('organisations edit --time-zone none');
  expect(edited).not.toHaveProperty('timeZone');
});

test('a part that is refused changes nothing of an organisation, nor of what its tickets look like', async () => {
  const before = await folder.json('organisations list');
  const edit = ['organisations', 'edit', 'Pool', '--name', 'Lido', '--rate', '5'];
  const language = [...edit, '--language', 'de', '--line'];

  expect((await folder.run([...language, 'x'.repeat(500)])).failure).toBe('usage');
  expect(await folder.json('organisations list')).toEqual(before);

  expect(await folder.json([...language, 'Einlass ab 9 Uhr'])).toMatchObject({
    name: 'Lido',
    limits: { ratePerSecond: 5 },
    sheets: { language: 'de', lines: ['Einlass ab 9 Uhr'], logo: false },
  });
});

test('events of an account are those of its organisation, whatever others have named theirs', async () => {
  await all(
    'organisations create --name Club',
    'events create --name Jazz --organisation Pool',
    'events create --name Jazz --organisation Club',
    'events create --name Sauna --organisation Pool',
  );
  const account = 'accounts create --role scanner --password env:PW --organisation Club';
  const key = 'keys create --type api --organisation Club';
  const events = await folder.json(`${account} --name gate --events Jazz`, ENV);
  expect(events.events).toHaveLength(1);
  await all(`${key} --name Gate --events Jazz`, 'accounts edit gate --events Jazz');
  await all('keys edit Gate --events Jazz');
  for (const line of [
    `${account} --name x`,
    'accounts edit gate',
    `${key} --name x`,
    'keys edit Gate',
  ]) {
    const { failure, err } = await folder.run(`${line} --events Sauna`, ENV);
    expect([line, failure]).toEqual([line, 'not_found']);
    expect(err).not.toContain('Pool');
  }
  expect(await folder.json('accounts edit gate --role operator')).toMatchObject({ events: 'all' });
});

test('people read local times and names, machines UTC and ids', async () => {
  // The program keeps the clock of the zone that it first showed: this test and what follows load it anew.
  vi.resetModules();
  const { InProcess: Anew } = await import('../support/in-process.ts');
  vi.stubEnv('TZ', 'America/New_York');
  await using there = new Anew();
  const account = 'accounts create --name north --role scanner --events Pool --password env:PW';
  for (const line of [
    'events create --name Pool',
    account,
    'mint --event Pool --valid-until 2027-09-30T18:00:00Z',
    'keys create --name A --type api --events Pool',
  ])
    expect(await there.run(line, ENV)).toMatchObject({ code: 0 });

  const { out } = await there.run('tickets list');
  expect(out).toMatch(
    /^ID +EVENT +TYPE .* VALID UNTIL\ntkt_\w+ +Pool +single .* 2027-09-30 14:00:00\n$/,
  );
  const [ticket] = await there.json('tickets list');
  expect(ticket.validUntil).toBe('2027-09-30T18:00:00.000Z');
  for (const [line, text] of [
    ['accounts list', /Pool \(\w{6}\) +Default \(org_\w{10}\) +never/],
    ['events list', /Pool +Default \(org_\w{10}\)/],
    ['keys list', /Pool \(\w{6}\)/],
  ] as const) {
    expect((await there.run(line)).out).toMatch(text);
    expect((await there.run(`${line} --json`)).out).not.toMatch(text);
  }
  const second = await there.run('keys create --name A --type api');
  expect(second.err).toMatch(
    /^Another key \(key_\w{10}\) is named "A" too: in commands, give the id/,
  );
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});
