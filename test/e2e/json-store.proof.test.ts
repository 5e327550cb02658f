import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder, consume, type Target, targetOf } from '../support/cli.ts';

const STORE = ['--store', 'json:./ticketscan.json'];
const hasStrace = spawnSync('strace', ['-V']).status === 0;

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

test('SIGTERM folds the log into the document, and leaves both as plain text without filler', async () => {
  await using folder = await new CliFolder();
  const { keys, tickets } = await seeded(folder);
  const [code = ''] = tickets['multi'] ?? [];
  const server = await folder.serve(STORE);
  for (let use = 0; use < 3; use += 1) await consume(server.url, keys['rest'] ?? '', code);
  const meanwhile = readFileSync(join(folder.path, 'ticketscan.json'), 'utf8');
  expect(await server.stop('SIGTERM')).toBe(0);

  const document = JSON.parse(readFileSync(join(folder.path, 'ticketscan.json'), 'utf8'));
  const log = readFileSync(join(folder.path, 'ticketscan.json.log'), 'utf8');
  expect(JSON.parse(meanwhile).log.open).toBe(true);
  expect(document.log.open).toBe(false);
  expect(
    document.tickets.filter(({ usesConsumed }: { usesConsumed: number }) => usesConsumed === 3),
  ).toHaveLength(1);
  expect(log).toMatch(/"closed":true,"end":\d+\}\n$/);
  expect(log).not.toContain('\n\n');
});

/** Lets a system call on the log fail. @param when which ones: `4` the fourth, `4+` it and all after it */
function failing(folder: CliFolder, call: string, error: string, when: string): string[] {
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${when}`];
  // Only the log: the lock is a file with writes of its own. One thread does all file work, so that one counts the calls.
  const log = ['-P', join(folder.path, 'ticketscan.json.log')];
  const output = ['-o', 'trace.txt'];
  return ['env', 'UV_THREADPOOL_SIZE=1', 'strace', '-D', '-f', '-qq', ...log, ...inject, ...output];
}

async function consumeTimes(
  url: string,
  key: string,
  code: string,
  times: number,
): Promise<string[]> {
  const answers: string[] = [];
  for (let use = 0; use < times; use += 1) {
    const answer = await consume(url, key, code);
    answers.push(answer.status ?? answer.message);
  }
  return answers;
}

test.skipIf(!hasStrace).each([
  ['a sync that fails', 'fdatasync', 'EIO'],
  ['a full disk', 'pwrite64', 'ENOSPC'],
])(
  '%s is a 500, nobody is let in on it, and the store goes on from what is certain',
  async (_what, call, error) => {
    await using folder = await new CliFolder();
    const { keys, tickets } = await seeded(folder, 1);
    const [code = ''] = tickets['permanent'] ?? [];
    const server = await folder.serve(STORE, failing(folder, call, error, '5'));
    const answers = await consumeTimes(server.url, keys['rest'] ?? '', code, 8);
    await server.stop('SIGTERM');

    const granted = answers.filter((answer) => answer === 'consumed').length;
    expect(answers.filter((answer) => answer === 'Internal Server Error')).toHaveLength(1);
    expect(granted).toBe(7);
    expect(readFileSync(join(folder.path, 'trace.txt'), 'utf8')).toContain(`${error} (`);
    const { usesConsumed } = await folder.json(['tickets', 'show', ...STORE, code]);
    // What had failed was made certain: it is not there.
    expect(usesConsumed).toBe(granted);
    expect(await audit(folder)).toMatchObject({ ok: true, problems: [] });
  },
);

test.skipIf(!hasStrace)(
  'while every sync fails, every consume is a 500 and the service is not ready; what was granted is there',
  async () => {
    await using folder = await new CliFolder();
    const { keys, tickets } = await seeded(folder, 1);
    const [code = ''] = tickets['permanent'] ?? [];
    const server = await folder.serve(STORE, failing(folder, 'fdatasync', 'EIO', '4+'));
    const answers = await consumeTimes(server.url, keys['rest'] ?? '', code, 8);
    const ready = await fetch(`${server.url}/readyz`);
    const ended = await server.stop('SIGTERM');

    const granted = answers.indexOf('Internal Server Error');
    expect(granted).toBeGreaterThan(0);
    expect(answers.slice(0, granted)).toEqual(Array(granted).fill('consumed'));
    expect(answers.slice(granted)).toEqual(Array(8 - granted).fill('Internal Server Error'));
    expect(ready.status).toBe(503);
    expect(ended).toBe(3);
    expect(await folder.json(['tickets', 'show', ...STORE, code])).toMatchObject({
      usesConsumed: granted,
    });
    expect(await audit(folder)).toMatchObject({ ok: true, problems: [] });
  },
);
