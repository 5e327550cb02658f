import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder, consume, presentCard, type Target, targetOf } from '../support/cli.ts';
import { PATIENTLY } from '../support/patience.ts';

async function seeded(folder: CliFolder, count = 2): Promise<Target> {
  const limits = ['--rate', '1000000', '--burst', '1000000'];
  await folder.run(['seed', '--count', String(count), '--out', 'target.json', ...limits]);
  return targetOf(readFileSync(join(folder.path, 'target.json'), 'utf8'));
}

test('what another process changes holds for the next request of a running server', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder);
  const [first = '', second = ''] = tickets['permanent'] ?? [];
  const server = await folder.serve();
  const scan = () => consume(server.url, keys['rest'] ?? '', first);

  expect(await scan()).toMatchObject({ status: 'consumed' });
  expect((await folder.run(['keys', 'disable', 'Box office'])).code).toBe(0);
  expect(await scan()).toEqual({ message: 'Forbidden' });
  expect((await folder.run(['keys', 'enable', 'Box office'])).code).toBe(0);
  expect(await scan()).toMatchObject({ status: 'consumed' });
  expect((await folder.run(['tickets', 'cancel', first])).code).toBe(0);
  expect(await scan()).toMatchObject({ reason: 'ticket_cancelled', usesConsumed: 2 });
  expect(await consume(server.url, keys['rest'] ?? '', second)).toMatchObject({
    status: 'consumed',
  });
  expect((await folder.run(['keys', 'delete', 'Box office'])).code).toBe(0);
  expect(await consume(server.url, keys['rest'] ?? '', second)).toEqual({ message: 'Forbidden' });

  const fresh = await folder.json(['keys', 'create', '--name', 'New', '--type', 'api']);
  expect(await consume(server.url, fresh.key, second)).toMatchObject({ usesConsumed: 2 });
  const minted = await folder.json(['mint', '--event', 'Summer pool']);
  expect(await consume(server.url, fresh.key, minted[0].code)).toMatchObject({
    status: 'consumed',
  });
  await server.stop();
});

test('two servers on one file: 200 parallel consumes of a last use, REST and hardware mixed, admit one', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder);
  const servers = await Promise.all([folder.serve(), folder.serve()]);
  for (const code of tickets['single'] ?? []) {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const { url } = servers[index % 2] ?? { url: '' };
        return index % 4 < 2
          ? consume(url, keys['rest'] ?? '', code)
          : presentCard(url, keys['hardware'] ?? '', code);
      }),
    );
    const granted = answers.filter(
      (answer) => answer.status === 'consumed' || answer.AcsRes === '1',
    );
    const exhausted = answers.filter(
      (answer) => answer.status === 'exhausted' || answer.Note === 'Ticket erschöpft',
    );
    expect([granted.length, exhausted.length]).toEqual([1, 199]);
  }
  await Promise.all(servers.map((server) => server.stop()));
  expect(await folder.json(['audit'])).toMatchObject({ ok: true });
});

test('kill -9 under load, again and again: every acknowledged use is there, and the audit agrees', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder, 4);
  const codes = tickets['permanent'] ?? [];
  const acknowledged = new Map<string, number[]>(codes.map((code) => [code, []]));
  for (let crash = 0; crash < 4; crash += 1) {
    const server = await folder.serve();
    let killed = false;
    const client = async (code: string) => {
      while (!killed) {
        const answer = await consume(server.url, keys['rest'] ?? '', code).catch(() => undefined);
        if (answer?.status === 'consumed') acknowledged.get(code)?.push(answer.usesConsumed);
      }
    };
    const clients = codes.flatMap((code) => [client(code), client(code), client(code)]);
    const more = (crash + 1) * 5;
    const isUnderLoad = () => [...acknowledged.values()].every(({ length }) => length > more);
    await expect.poll(isUnderLoad, PATIENTLY).toBe(true);
    await server.stop('SIGKILL');
    killed = true;
    await Promise.all(clients);
  }
  for (const [code, counts] of acknowledged) {
    expect(counts.length).toBeGreaterThan(10);
    expect(new Set(counts).size).toBe(counts.length);
    const { usesConsumed } = await folder.json(['tickets', 'show', code]);
    expect(usesConsumed).toBeGreaterThanOrEqual(Math.max(...counts));
  }
  expect(await folder.json(['audit'])).toMatchObject({ ok: true, problems: [] });
});

test('SIGTERM under load: whoever was connected gets an answer, and the process ends by itself', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder);
  const [code = ''] = tickets['permanent'] ?? [];
  const server = await folder.serve();
  let acknowledged = 0;
  let stopped = false;
  const outcomes: string[] = [];
  const client = async () => {
    while (!stopped) {
      const answer = await consume(server.url, keys['rest'] ?? '', code).catch(
        (error: Error) => error,
      );
      if (answer.status === 'consumed') acknowledged += 1;
      else
        outcomes.push(
          String((answer as { cause?: { code?: string } }).cause?.code ?? JSON.stringify(answer)),
        );
      if (outcomes.length > 0) return;
    }
  };
  const clients = Array.from({ length: 20 }, client);
  await expect.poll(() => acknowledged, PATIENTLY).toBeGreaterThan(20);
  const exitCode = await server.stop('SIGTERM');
  stopped = true;
  await Promise.all(clients);

  expect(exitCode).toBe(0);
  // An idle connection may be closed just as its client begins to ask on it; then nothing was read, and nothing taken.
  const notTaken = ['ECONNREFUSED', 'UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE'];
  expect(outcomes.filter((outcome) => !notTaken.includes(outcome))).toEqual([]);
  expect(await folder.json(['tickets', 'show', code])).toMatchObject({
    usesConsumed: acknowledged,
  });
});
