import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { CliFolder, consume, type Target, targetOf } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';

const STORE = ['--store', 'json:./ticketscan.json'];

async function seeded(folder: CliFolder, count = 2): Promise<Target> {
  const limits = ['--rate', '1000000', '--burst', '1000000'];
  await folder.run(['seed', ...STORE, '--count', String(count), '--out', 'target.json', ...limits]);
  return targetOf(readFileSync(join(folder.path, 'target.json'), 'utf8'));
}

const audit = (folder: CliFolder) => folder.json(['audit', ...STORE]);

test('while serve has the store, every other command says who has it and what to do', async () => {
  await using folder = await new CliFolder();
  await seeded(folder, 1);
  const server = await folder.serve(STORE);

  const create = ['keys', 'create', ...STORE, '--name', 'Gate 9', '--type', 'api'];
  const refused = await folder.run(create);

  expect(refused.code).toBe(3);
  expect(refused.err).toMatch(
    new RegExp(
      `ticketscan\\.json is in use by process ${server.process.pid}, since 20.*stop that one first`,
    ),
  );
  expect(refused.out).toBe('');
  await server.stop();
  expect((await folder.run(create)).code).toBe(0);
});

test('kill -9 under load, again and again: the lock is free at once, and every acknowledged use is there', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder, 4);
  const codes = tickets['permanent'] ?? [];
  const acknowledged = new Map<string, number[]>(codes.map((code) => [code, []]));
  for (let crash = 0; crash < 4; crash += 1) {
    const server = await folder.serve(STORE);
    let killed = false;
    const client = async (code: string) => {
      while (!killed) {
        const answer = await consume(server.url, keys['rest'] ?? '', code).catch(() => undefined);
        if (answer?.status === 'consumed') acknowledged.get(code)?.push(answer.usesConsumed);
      }
    };
    const clients = codes.flatMap((code) => [client(code), client(code), client(code)]);
    const enough = () =>
      [...acknowledged.values()].every((counts) => counts.length > 6 * (crash + 1));
    while (!enough()) await new Promise((resolve) => setTimeout(resolve, 5));
    await server.stop('SIGKILL');
    killed = true;
    await Promise.all(clients);
  }
  for (const [code, counts] of acknowledged) {
    expect(counts.length).toBeGreaterThan(24);
    expect(new Set(counts).size).toBe(counts.length);
    const { usesConsumed } = await folder.json(['tickets', 'show', ...STORE, code]);
    expect(usesConsumed).toBeGreaterThanOrEqual(Math.max(...counts));
  }
  expect(await audit(folder)).toMatchObject({ ok: true, problems: [] });
});

test('the document follows a running server, and is whole and current after SIGTERM', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder);
  const [code = ''] = tickets['multi'] ?? [];
  const usesInDocument = () => {
    const document = JSON.parse(readFileSync(join(folder.path, 'ticketscan.json'), 'utf8'));
    return document.tickets.map(({ usesConsumed }: { usesConsumed: number }) => usesConsumed);
  };
  const server = await folder.serve(STORE);
  for (let use = 0; use < 2; use += 1) await consume(server.url, keys['rest'] ?? '', code);
  await vi.waitFor(() => expect(usesInDocument()).toContain(2), PATIENTLY);
  await consume(server.url, keys['rest'] ?? '', code);
  expect(await server.stop('SIGTERM')).toBe(0);

  expect(usesInDocument()).toContain(3);
});

test('an edit under a running server is told, survives kill -9 and SIGTERM, and holds after the next start', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder);
  const [code = ''] = tickets['multi'] ?? [];
  const path = join(folder.path, 'ticketscan.json');
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const server = await folder.serve(STORE);
    const name = `Renamed by ${signal}`;
    const edited = readFileSync(path, 'utf8').replace(
      /("events": \[\n[^\n]*"name": ")[^"]*/,
      `$1${name}`,
    );
    writeFileSync(path, edited);
    await consume(server.url, keys['rest'] ?? '', code);
    const ended = await server.stop(signal);

    if (signal === 'SIGTERM') expect(ended).toBe(2);
    expect(readFileSync(path, 'utf8')).toBe(edited);
    const events = await folder.json(['events', 'list', ...STORE]);
    expect(JSON.stringify(events)).toContain(name);
    expect(await audit(folder)).toMatchObject({ ok: true, problems: [] });
  }
});

test('a copy of before that is put back takes no sold ticket with it, and both a command and a server say so', async () => {
  await using folder = await new CliFolder();
  await seeded(folder, 1);
  const path = join(folder.path, 'ticketscan.json');
  const tickets = async () => {
    const listed = await folder.json(['tickets', 'list', ...STORE]);
    return JSON.stringify(listed);
  };
  const old = readFileSync(path, 'utf8');
  const [event = ''] = /(?<=tkt_)[a-z0-9]+/.exec(old) ?? [];
  await folder.run(['mint', ...STORE, '--event', event, '--count', '2', '--out', 'sold']);
  const sold = await tickets();
  const ticketCount = readFileSync(path, 'utf8').match(/"id": "tkt_/g)?.length ?? 0;
  expect(ticketCount).toBe((old.match(/"id": "tkt_/g)?.length ?? 0) + 2);

  writeFileSync(path, old);
  const listed = await folder.run(['tickets', 'list', ...STORE, '--json']);

  expect(listed.code).toBe(0);
  expect(listed.err).toMatch(
    /ticketscan\.json was made from an earlier text .*Nothing in it was edited/,
  );
  expect(await tickets()).toBe(sold);
  writeFileSync(path, old.replace(/("events": \[\n[^\n]*"name": ")[^"]*/, '$1By hand'));
  const server = await folder.serve(STORE);
  await server.stop('SIGTERM');
  expect(server.messages()).toMatch(/earlier text .*Edited: 1 event changed/);
  expect((await folder.json(['audit', ...STORE])).problems).toEqual([]);
  expect(readFileSync(path, 'utf8').match(/"id": "tkt_/g)).toHaveLength(ticketCount);
});
