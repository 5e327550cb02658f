import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { AdminClient } from '../admin/support/client.ts';
import { temporaryFolder } from '../check/support/files.ts';
import { runCommand } from '../check/support/run-command.ts';
import { targetOf } from '../support/cli.ts';
import { TestService } from '../support/service.ts';
import { Receiver } from './support/receiver.ts';

const URL = 'https://erp.example.org/in?token=t0p';

test('ten webhooks an organisation; another organisation does not see them; no answer and no audit entry has a secret', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service, 'owner');
  for (let index = 0; index < 10; index += 1) {
    const made = await owner.post('/webhooks', { name: `W${index}`, url: URL });
    expect(made.status).toBe(201);
    expect(made.json.secret).toMatch(/^whsec_/);
  }
  const refused = await owner.post('/webhooks', { name: 'W10', url: URL });
  expect([refused.status, refused.json.message]).toEqual([
    409,
    'An organisation has at most 10 webhooks. Delete one first.',
  ]);
  const { items } = (await owner.get('/webhooks')).json;
  const audit = (await owner.get('/audit-log')).text;
  expect(JSON.stringify(items)).not.toContain('whsec_');
  expect(audit).toContain('webhook.create');
  expect(audit).not.toMatch(/whsec_|t0p/);
  const viewer = await AdminClient.signedIn(service, 'viewer');
  expect((await viewer.get('/webhooks')).status).toBe(403);
  const private_ = await owner.patch(`/webhooks/${items[0].id}`, { url: 'https://10.0.0.1/' });
  expect([private_.status, private_.json.message]).toEqual([
    422,
    expect.stringContaining('10.0.0.1 is a private address'),
  ]);
});

test('the command line makes, tests, edits and deletes one on a store', async () => {
  const receiver = await Receiver.start();
  const store = ['--store', `sqlite:${temporaryFolder()}/store.db`];
  await runCommand(['events', 'create', '--name', 'Pool', ...store]);
  const run = (...args: string[]) => runCommand(['webhooks', ...args, ...store]);
  const network = ['--webhook-networks', '127.0.0.1', '--webhook-ca', receiver.caFile];
  const blocked = await run('create', '--name', 'ERP', '--endpoint', receiver.url);
  expect([blocked.code, blocked.stderr]).toEqual([
    2,
    expect.stringContaining('--webhook-networks'),
  ]);
  const made = await run(
    'create',
    '--name',
    'ERP',
    '--endpoint',
    receiver.url,
    '--json',
    ...network,
  );
  const { id, secret } = JSON.parse(made.stdout);
  const tested = await run('test', 'ERP', ...network);
  expect([tested.code, tested.stdout]).toEqual([0, expect.stringContaining('Delivered: HTTP 204')]);
  expect(receiver.accepted(secret).map(({ body }) => body)).toEqual([
    { type: 'webhook.test', timestamp: expect.any(String), data: { webhookId: id } },
  ]);
  receiver.behaviour = { status: 500 };
  expect((await run('test', 'ERP', ...network)).code).toBe(1);
  const paused = await run('edit', 'ERP', '--disable');
  expect(paused.stdout).toBe('Webhook "ERP" is paused.\n');
  expect((await run('edit', 'ERP')).code).toBe(2);
  expect((await run('edit', 'ERP', '--events', 'nothing')).stderr).toContain('scan.granted');
  expect((await run('list')).stdout).toMatch(/ERP +paused +0/);
  const attempts = (await run('deliveries', 'ERP')).stdout;
  expect(attempts).toMatch(/webhook\.test +1 +HTTP 204/);
  expect(attempts).toMatch(/webhook\.test +1 +.*500/);
  expect((await run('delete', 'ERP')).code).toBe(0);
  expect(JSON.parse((await run('list', '--json')).stdout)).toEqual([]);
});

test('nothing is lost over kill -9 of the server while it delivers', async () => {
  const receiver = await Receiver.start();
  const folder = temporaryFolder();
  const store = ['--store', `sqlite:${folder}/store.db`];
  const network = ['--webhook-networks', '127.0.0.1', '--webhook-ca', receiver.caFile];
  const seeded = await runCommand([
    'seed',
    ...store,
    '--count',
    '60',
    '--out',
    `${folder}/t.json`,
    '--rate',
    '1000',
    '--burst',
    '1000',
  ]);
  expect(seeded.code).toBe(0);
  const target = targetOf(readFileSync(`${folder}/t.json`, 'utf8'));
  const made = await runCommand([
    'webhooks',
    'create',
    '--name',
    'ERP',
    '--endpoint',
    receiver.url,
    '--organisation',
    'Sample leisure park',
    '--json',
    ...store,
    ...network,
  ]);
  const { secret } = JSON.parse(made.stdout);
  const serve = async () => {
    const args = ['serve', '--port', '0', '--json', '--log-level', 'silent', ...store, ...network];
    const child = spawn(process.execPath, ['bin/ticketscan.js', ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [line] = await once(createInterface(child.stdout), 'line');
    return { child, url: JSON.parse(line).url as string };
  };
  const granted: string[] = [];
  const scan = async (url: string, codes: readonly string[]) => {
    for (const ticketCode of codes) {
      const headers = {
        'content-type': 'application/json',
        'x-api-key': target.keys['rest'] ?? '',
      };
      const body = JSON.stringify({ ticketCode });
      const answer = await fetch(`${url}/scan/consume`, { method: 'POST', headers, body }).catch(
        () => undefined,
      );
      if (answer?.ok) granted.push(((await answer.json()) as { ticketId: string }).ticketId);
    }
  };
  const codes = target.tickets['single'] ?? [];
  receiver.behaviour = { waitMs: 5 };
  const first = await serve();
  const scanning = scan(first.url, codes.slice(0, 40));
  await receiver.until(5);
  first.child.kill('SIGKILL');
  await scanning;
  const second = await serve();
  await scan(second.url, codes.slice(40));
  await receiver.until(granted.length);
  await wait(100);
  const accepted = receiver.accepted(secret);
  const told = new Set(accepted.map(({ body }) => body.data.ticketId));
  expect(granted.length).toBeGreaterThan(20);
  expect(granted.filter((ticket) => !told.has(ticket))).toEqual([]);
  const sequences = accepted.map(({ body }) => body.data.sequence);
  expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
});
