import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { keyHooksFrom } from '../../src/check/commands/key-hooks.ts';
import { type CheckOptions, check, exitCodeOf, type KeyHooks } from '../../src/check/index.ts';
import { startServer } from '../mutants/reference/server.ts';
import type { Key } from '../mutants/reference/world.ts';
import { PATIENTLY } from '../support/patience.ts';
import { RemoteFolder } from '../support/remote.ts';
import { words } from '../support/words.ts';
import { jsonFile, temporaryFolder } from './support/files.ts';
import { runCommand } from './support/run-command.ts';

async function reference() {
  const server = await startServer();
  onTestFinished(() => server.close());
  const { baseUrl, target, keyHooks, world } = server;
  const options: CheckOptions = { baseUrl, target, keyHooks, consume: true, maxRate: 5000 };
  return { options, world, keys: target.keys, keyHooks };
}

/** A dashboard to which a command of the shell speaks: it is told its orders over HTTP. */
async function dashboard(hooks: Required<KeyHooks>) {
  const orders: Record<string, string>[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const order = JSON.parse(Buffer.concat(chunks).toString());
    orders.push(order);
    const { change, CHECK_KEY: key, CHECK_KEY_NAME: name, CHECK_KEY_EVENTS: events } = order;
    const scope = events === undefined || events === 'all' ? events : events.split(',');
    await hooks[change as keyof KeyHooks]({ key, type: 'api', name, events: scope });
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const script = join(temporaryFolder(), 'hook.mjs');
  writeFileSync(
    script,
    `const given = Object.entries(process.env).filter(([name]) => name.startsWith('CHECK_'));
     const [, , change, ...more] = process.argv;
     const body = JSON.stringify({ change, more: more.join(' '), ...Object.fromEntries(given) });
     await fetch('http://127.0.0.1:${port}', { method: 'POST', body });`,
  );
  const hook = (change: string) => [
    '--hook',
    `${change}="${process.execPath}" ${script} ${change}`,
  ];
  return { orders, hook };
}

test('commands of the shell change the spare key, which they get by the environment', async () => {
  const { options, keys, keyHooks, world } = await reference();
  const { orders, hook } = await dashboard(keyHooks);
  const target = jsonFile(options.target);
  const only = words`--only 3.1/renamed-*@validate 3.1/narrower-*@validate 3.1/deleted-at-once@heartbeat`;
  const args = words`check ${String(options.baseUrl)} --target ${target} --max-rate 5000 ${only}`;
  const hooks = ['rename-key', 'scope-key', 'delete-key'].flatMap(hook);
  const { code, stdout, stderr } = await runCommand(
    [...args, ...hooks, '--json'],
    process.env as never,
  );
  expect({ code, stderr: stderr.includes('deviation') }).toEqual({ code: 0, stderr: false });
  expect(JSON.parse(stdout)).toMatchObject({ verdict: 'conforms', totals: { passed: 4 } });
  expect(stdout).not.toContain(keys.spare);
  const told = orders.map(({ CHECK_KEY: _, ...order }) => order);
  const api = { CHECK_KEY_TYPE: 'api', more: '' };
  expect(told).toEqual([
    { ...api, change: 'rename-key', CHECK_KEY_NAME: 'ticketscan check, renamed' },
    { ...api, change: 'rename-key', CHECK_KEY_NAME: 'Spare' },
    { ...api, change: 'scope-key', CHECK_KEY_EVENTS: 'main' },
    { ...api, change: 'scope-key', CHECK_KEY_EVENTS: 'all' },
    { ...api, change: 'scope-key', CHECK_KEY_EVENTS: 'main' },
    { change: 'delete-key', CHECK_KEY_TYPE: 'hardware', more: '' },
    { ...api, change: 'scope-key', CHECK_KEY_EVENTS: 'all' },
  ]);
  expect(world.keys.get(keys.spare)).toMatchObject({ active: true, events: 'all', name: 'Spare' });
});

test('only the spare keys are changed', async () => {
  const { options, keys, keyHooks } = await reference();
  const changed = new Set<string>();
  const watched = Object.fromEntries(
    Object.entries(keyHooks).map(([name, hook]) => [
      name,
      (order: Parameters<typeof hook>[0]) => {
        changed.add(order.key);
        return hook(order);
      },
    ]),
  );
  await check({ ...options, keyHooks: watched, only: ['3.1'] });
  expect([...changed].toSorted()).toEqual([keys.spare, keys.hardwareSpare].toSorted());
});

test('a run that is stopped puts the key back', async () => {
  const { options, keys, keyHooks, world } = await reference();
  const stop = new AbortController();
  const stopping = {
    ...keyHooks,
    'disable-key': async (order: Parameters<(typeof keyHooks)['disable-key']>[0]) => {
      await keyHooks['disable-key'](order);
      stop.abort();
    },
  };
  const result = await check({
    ...options,
    keyHooks: stopping,
    signal: stop.signal,
    only: ['3.1/*-at-once'],
  });
  expect(result.brokenOff).toContain('stopped');
  expect(exitCodeOf(result)).toBe(3);
  expect(world.keys.get(keys.spare)?.active).toBe(true);
});

test('a hook that fails leaves the check incomplete, says so, and says what was not put back', async () => {
  const { options, keyHooks } = await reference();
  const failing = {
    ...keyHooks,
    'enable-key': async () => {
      throw new Error('the dashboard is down');
    },
  };
  const only = ['3.1/disabled-at-once@validate'];
  const result = await check({ ...options, keyHooks: failing, only });
  expect(result.notes.join()).toContain(
    'The key "spare" was not restored (the dashboard is down). Enable it in the dashboard.',
  );

  expect(result).toMatchObject({ verdict: 'conforms', totals: { passed: 1 } });
  const next = await check({ ...options, keyHooks: failing, only: ['3.1/enabled-*@hw/validate'] });
  expect(next.cases[0]).toMatchObject({ outcome: 'skipped', reason: 'the dashboard is down' });

  const fresh = await reference();
  const { hook } = await dashboard(fresh.keyHooks);
  const at = [String(fresh.options.baseUrl), '--target', jsonFile(fresh.options.target)];
  const args = ['check', ...at, '--only', ...only];
  const hooks = ['--hook', 'disable-key=exit 7', ...hook('enable-key')];
  const { code, stdout } = await runCommand(
    [...args, ...hooks, '--fail-on', 'skipped'],
    process.env as never,
  );
  expect(stdout).toContain('the hook "disable-key" ended with exit code 7');
  expect(code).toBe(1);
});

test('what one hook cannot put back does not keep the others from it, and is named exactly', async () => {
  const { options, keys, keyHooks, world } = await reference();
  const hooks = {
    ...keyHooks,
    'enable-key': () => Promise.reject(new Error('no')),
    'rename-key': async (order: Parameters<(typeof keyHooks)['rename-key']>[0]) => {
      if (order.name === 'Spare') throw new Error('too long');
      await keyHooks['rename-key'](order);
    },
  };
  const only = ['3.1/disabled-at-once@validate', '3.1/renamed-*@validate'];
  const { notes } = await check({ ...options, keyHooks: hooks, only });
  expect(notes.filter((note) => note.includes('"spare"'))).toEqual([
    'The key "spare" was not restored (no). Enable it in the dashboard.',
  ]);
  const renamed = await check({ ...options, keyHooks: hooks, only: only.slice(1) });
  expect(renamed.cases[0]?.outcome).toBe('skipped');
  world.keys.set(keys.spare, { ...(world.keys.get(keys.spare) as Key), active: true });
  const again = await check({ ...options, keyHooks: hooks, only: only.slice(1) });
  expect(again.notes.join()).toContain('(too long). Call it "Spare" in the dashboard.');
});

test('hooks that change nothing fail what they should have changed, and prove nothing', async () => {
  const { options, keyHooks } = await reference();
  const idle = Object.fromEntries(Object.keys(keyHooks).map((name) => [name, async () => {}]));
  const { cases } = await check({ ...options, keyHooks: idle, only: ['3.1/*-at-once@validate'] });
  expect(Object.fromEntries(cases.map(({ id, outcome }) => [id, outcome]))).toEqual({
    '3.1/enabled-at-once': 'skipped',
    '3.1/disabled-at-once': 'failed',
    '3.1/narrower-scope-at-once': 'follows',
    '3.1/wider-scope-at-once': 'skipped',
    '3.1/deleted-at-once': 'follows',
  });
  for (const one of cases.filter(({ outcome }) => outcome === 'failed'))
    expect(one.cause).toContain('or the hook did not');
});

test('a hook that hangs is ended with all that it started', async () => {
  const file = join(temporaryFolder(), 'pid');
  const hooks = keyHooksFrom([`disable-key=sleep 60 & echo $! > ${file}; wait`], process.env, 300);
  const order = { key: 'a-key', type: 'api' } as const;
  await expect(hooks?.['disable-key']?.(order)).rejects.toThrow('did not end within 0.3 s');
  const pid = Number(readFileSync(file, 'utf8'));
  await expect.poll(() => isRunning(pid), PATIENTLY).toBe(false);
});

/** True for a process that has not ended; one that only waits to be collected has. */
function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

test.each([
  { enable: undefined, left: false },
  { enable: 'exit 9', left: true },
])('Ctrl-C during a hook puts the key back, or says what is left to do: $left', async (one) => {
  const { options, keys, keyHooks, world } = await reference();
  const { orders, hook } = await dashboard(keyHooks);
  const [flag = '', disable = ''] = hook('disable-key');
  const enable = one.enable ? ['--hook', `enable-key=${one.enable}`] : hook('enable-key');
  const only = ['--only', '3.1/disabled-at-once@validate', '--json'];
  const args = ['check', String(options.baseUrl), '--target', jsonFile(options.target), ...only];
  const bin = fileURLToPath(new URL('../../bin/ticketscan.js', import.meta.url));
  const child = spawn(process.execPath, [bin, ...args, flag, `${disable}; sleep 0.3`, ...enable]);
  const texts = { stdout: '', stderr: '' };
  child.stdout.on('data', (text) => {
    texts.stdout += text;
  });
  child.stderr.on('data', (text) => {
    texts.stderr += text;
  });
  const ended = once(child, 'close');
  await expect.poll(() => orders.length, PATIENTLY).toBe(1);
  child.kill('SIGINT');
  expect((await ended)[0]).toBe(130);
  expect(texts.stderr).toContain('Changed keys are restored first');
  expect(world.keys.get(keys.spare)?.active).toBe(!one.left);
  const left =
    'The key "spare" was not restored (the hook "enable-key" ended with exit code 9). Enable it in the dashboard.';
  const { notes } = JSON.parse(texts.stdout);
  expect(notes.filter((note: string) => note.includes('spare'))).toEqual(one.left ? [left] : []);
});

test('what is missing in the target is named, and counts for nothing', async () => {
  const { options } = await reference();
  const { changes: _, ...target } = options.target as Record<string, unknown>;
  const only = ['3.1/renamed-*@validate', '3.1/narrower-scope-at-once@validate'];
  const result = await check({ ...options, target, only });
  expect(result.verdict).toBe('incomplete');
  expect(result.cases.map(({ reason }) => reason)).toEqual([
    'the target does not have the name of the key "spare", to restore it: changes.name',
    'the target does not have the events of its tickets: changes.events',
  ]);
});

test('a token goes to no other machine over plain HTTP', async () => {
  const far = { baseUrl: 'http://192.0.2.1', insecureHttp: true, token: 'secret' };
  await expect(check(far)).rejects.toThrow('others on the network could read the token');
});

test('with an access token keys are made where there is room, changed, and deleted at the end', async () => {
  await using folder = await RemoteFolder.start(12);
  const { cli, server, target, token } = folder;
  const file = jsonFile({ ...target, baseUrl: server.url });
  const args = ['check', '--target', file, '--consume', '--token', 'env:TOKEN', '--json'];
  const only = ['--only', '3.1/*-at-once', '3.1/renamed-*', '3.1/narrower-*'];
  const before = await cli.json(['keys', 'list']);
  const [{ id }] = await cli.json(['organisations', 'list']);
  const own = before.filter((key: { organisationId: string }) => key.organisationId === id).length;
  await cli.run(['organisations', 'edit', id, '--keys-max', String(own)]);
  const full = await runCommand([...args, ...only], { TOKEN: token });
  expect(full.stdout).toMatch(/the admin API refused it .*keys/);
  expect(JSON.parse(full.stdout).verdict).toBe('incomplete');

  await cli.run(['organisations', 'edit', id, '--keys-max', String(own + 1)]);
  const { code, stdout } = await runCommand([...args, ...only], { TOKEN: token });
  const result = JSON.parse(stdout);
  expect(code).toBe(0);
  expect(result).toMatchObject({
    verdict: 'conforms',
    notes: [],
    chosen: { cases: 7 },
    totals: { passed: 7, skipped: 0 },
  });
  expect(stdout).not.toContain(token);
  // a look at the tickets counts as requests of the key that looked, and as its last use
  const asBefore = before.map(
    ({ requestsThisMonth: _, lastUsedAt: __, ...key }: Record<string, unknown>) => key,
  );
  expect(await cli.json(['keys', 'list'])).toMatchObject(asBefore);

  const wrong = await runCommand([...args, ...only], { TOKEN: 'tsa_wrong' });
  expect(wrong.stdout).toContain('HTTP 401');
});

test('both keys are renamed at the same time, to two names, and get their own back', async () => {
  const { options, keys, keyHooks, world } = await reference();
  const names: (string | undefined)[] = [];
  const hooks = {
    ...keyHooks,
    'rename-key': async (order: Parameters<(typeof keyHooks)['rename-key']>[0]) => {
      names.push(order.name);
      await keyHooks['rename-key'](order);
      const now = [keys.spare, keys.hardwareSpare].map((key) => world.keys.get(key)?.name);
      expect(now[0]).not.toBe(now[1]);
    },
  };
  await check({ ...options, keyHooks: hooks, only: ['3.1/renamed-*'] });
  expect(names).toContain('ticketscan check, renamed');
  expect(names).toContain('ticketscan check, gate, renamed');
  const restored = [keys.spare, keys.hardwareSpare].map((key) => world.keys.get(key)?.name);
  expect(restored).toEqual(['Spare', 'Spare gate']);
});
