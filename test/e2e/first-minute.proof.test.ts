import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TARGET_KEYS, TARGET_TICKETS } from '../../src/target-file/names.ts';
import { CliFolder, presentCard } from '../support/cli.ts';

test('demo: an image is read, the door opens, a second try is denied; then it goes on serving, and the sign-in it shows is let in', async () => {
  await using folder = await new CliFolder();
  const shown =
    /dashboard.*\n\s+(?<url>http\S+)\/\n\s+name (?<name>\S+), password (?<password>\S+)\n/;
  const { input: out, groups = {} } = await folder.runUntil(['demo'], shown);
  expect(out).toMatch(/Ada Lovelace[\s\S]*Ticket gültig \(1\/1\)[\s\S]*door OPEN \(relay IN\)/);
  expect(out).toMatch(/The same ticket again[\s\S]*Ticket erschöpft[\s\S]*door stays CLOSED/);
  expect(out).toMatch(/re-entry[\s\S]*Ticket gültig \(2\/10\)/);
  expect(out).toContain('the turnstile is online');
  expect(out).toMatch(/\d{3} cases passed, 0 failed: the server conforms/);

  const { url, name, password } = groups;
  expect(await (await fetch(`${url}/`)).text()).toContain('<div id="root">');
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ name, password });
  const session = await fetch(`${url}/admin/v1/sessions`, { method: 'POST', headers, body });
  expect(session.status).toBe(201);
  const cookie = session.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  const tickets = await fetch(`${url}/admin/v1/tickets?search=Lovelace`, { headers: { cookie } });
  expect(((await tickets.json()) as { items: unknown[] }).items.length).toBeGreaterThan(0);
});

test('from an empty folder to an open door, with the commands of the help', async () => {
  await using folder = await new CliFolder();
  const event = await folder.json(['events', 'create', '--name', 'Summer pool']);
  const key = await folder.json([
    'keys',
    'create',
    '--name',
    'Gate 1',
    '--type',
    'hardware',
    '--events',
    'Summer pool',
  ]);
  expect(key).toMatchObject({ name: 'Gate 1', type: 'hardware', events: [event.id], active: true });
  expect(key.cardUrl).toBe(`http://127.0.0.1:8080/scan/hw/consume?key=${key.key}`);
  expect(key.heartUrl).toBe(`http://127.0.0.1:8080/scan/hw/heartbeat?key=${key.key}`);

  const mint = ['mint', '--event', 'Summer pool', '--type', 'multi', '--uses', '3', '--count', '2'];
  const minted = await folder.run([
    ...mint,
    '--first-name',
    'Şule',
    '--valid-until',
    '2099-12-31',
    '--out',
    'out',
    '--format',
    'png,svg,json',
  ]);
  expect(minted.code).toBe(0);
  const tickets = JSON.parse(readFileSync(join(folder.path, 'out/tickets.json'), 'utf8'));
  expect(tickets).toHaveLength(2);
  expect(tickets[0]).toMatchObject({
    event: event.id,
    ticketType: 'multi',
    usesAllowed: 3,
    holder: { firstName: 'Şule' },
    validFrom: null,
  });
  const { ticketId, code } = tickets[0];
  for (const end of ['png', 'svg'])
    expect(existsSync(join(folder.path, `out/${ticketId}.${end}`))).toBe(true);

  const [decoded] = await folder.json(['decode', `out/${ticketId}.png`]);
  expect(decoded).toMatchObject({ file: `out/${ticketId}.png`, code, ticketId, verified: true });

  const server = await folder.serve();
  const answers = [];
  for (let use = 0; use < 4; use += 1)
    answers.push(await presentCard(server.url, key.key, decoded.code));
  expect(answers.map(({ Note }) => Note)).toEqual([
    'Ticket gültig (1/3)',
    'Ticket gültig (2/3)',
    'Ticket gültig (3/3)',
    'Ticket erschöpft',
  ]);
  const shown = await folder.json(['tickets', 'show', code]);
  expect(shown).toMatchObject({ ticketId, usesConsumed: 3, state: 'exhausted' });
  expect(shown.scans.map(({ outcome }: { outcome: string }) => outcome)).toEqual([
    'consumed',
    'consumed',
    'consumed',
    'exhausted',
  ]);
  expect(await folder.json(['audit'])).toEqual({ ok: true, tickets: 2, scans: 4, problems: [] });
  expect(await server.stop()).toBe(0);
});

test('seed writes a target file that is readable for its owner alone, and a server that keeps what it says', async () => {
  await using folder = await new CliFolder();
  const { code } = await folder.run([
    'seed',
    '--out',
    'target.json',
    '--count',
    '2',
    '--base-url',
    'http://127.0.0.1:9/',
  ]);
  expect(code).toBe(0);
  const target = JSON.parse(readFileSync(join(folder.path, 'target.json'), 'utf8'));
  expect(statSync(join(folder.path, 'target.json')).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder.path, 'ticketscan.keyring.json')).mode & 0o777).toBe(0o600);
  expect(target.baseUrl).toBe('http://127.0.0.1:9');
  expect(Object.keys(target.keys)).toEqual([
    ...TARGET_KEYS,
    'quotaExhausted',
    'hardwareQuotaExhausted',
  ]);
  const server = await folder.serve();
  const statusOf = async (state: string, key = 'rest') => {
    const response = await fetch(`${server.url}/scan/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': target.keys[key] },
      body: JSON.stringify({ ticketCode: target.tickets[state][1].code }),
    });
    const json = (await response.json()) as Record<string, string>;
    return json['reason'] ?? json['status'] ?? json['message'];
  };
  const statuses = [];
  for (const state of TARGET_TICKETS) statuses.push(await statusOf(state));
  expect(statuses).toEqual([
    'validated',
    'validated',
    'validated',
    'validated',
    'validated',
    'exhausted',
    'ticket_cancelled',
    'not_yet_valid',
    'expired',
    'validated',
    'not_found',
  ]);
  expect(await statusOf('otherEvent', 'restScoped')).toBe('event_not_allowed');
  for (const key of ['disabled', 'deleted', 'hardware'])
    expect(await statusOf('single', key)).toBe('Forbidden');
  await server.stop();
  expect(await folder.json(['audit'])).toMatchObject({ ok: true, scans: 14 });
});

test('the log follows a running server', async () => {
  await using folder = await new CliFolder();
  await folder.run(['seed', '--count', '1', '--out', 'target.json']);
  const { code, out } = await folder.run(['log', '--json']);
  expect(code).toBe(0);
  const entries = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(entries).toMatchObject([
    { sequence: 1, operation: 'consume', outcome: 'consumed', usesConsumed: 1 },
  ]);
  expect(readdirSync(folder.path)).toContain('ticketscan.db');
});
