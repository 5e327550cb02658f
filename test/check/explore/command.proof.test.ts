import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { explore, replay } from '../../../src/check/index.ts';
import { type ServerOptions, startServer } from '../../mutants/reference/server.ts';
import { makeWorld } from '../../mutants/reference/world.ts';
import { jsonFile, temporaryFolder } from '../support/files.ts';
import { runCommand } from '../support/run-command.ts';

const limits = { rate: 1e6, burst: 1e6 };

async function server(options: ServerOptions = {}) {
  const started = await startServer(options);
  onTestFinished(() => started.close());
  const { baseUrl, target, world } = started;
  return { baseUrl, world, target, file: jsonFile({ baseUrl, ...target, limits }) };
}

/** Has no lock: two who consume at once get the same use. */
const unlocked: ServerOptions = {
  alter: () => ({
    async register(ticket) {
      const { usesConsumed } = ticket;
      await new Promise((resolve) => setImmediate(resolve));
      ticket.usesConsumed = usesConsumed + 1;
    },
  }),
};

function explorer(file: string, ...args: string[]) {
  return runCommand(['check', 'explore', '--target', file, '--seed', '7', ...args]);
}

function replayed(save: string, file: string, ...args: string[]) {
  return runCommand(['check', 'explore', '--replay', save, '--target', file, ...args]);
}

test('nothing is found on a right server: exit 0, the seed and the uses first', async () => {
  const { file } = await server();
  const { code, stdout, stderr } = await explorer(file, '--consume', '--budget', '200');
  expect(stderr).toMatch(/^Seed 7\. At most 400 requests, 0\.1 % of a key's month\.\n/);
  expect(stderr).toContain('They may take up to 400 uses; uses of tickets: 40 of 40 single,');
  expect(stdout).toContain('Nothing was found in');
  expect(stdout).toMatch(/^Sent \d+ one by one, \d+ together\. Answers: \d+ \w+/m);
  expect(stdout).toMatch(
    /not the format of answers: `ticketscan check` does that\.\nNothing was found/,
  );
  expect(code).toBe(0);
});

test('a fault is found, told, saved without a secret, and replayed: FAILED, then FIXED', async () => {
  const { file, target } = await server(unlocked);
  const save = join(temporaryFolder(), 'fault.json');
  const { code, stdout } = await explorer(file, '--consume', '--save', save);
  expect(code).toBe(1);
  expect(existsSync(save)).toBe(true);
  expect(stdout).toContain('A fault (use-given-twice, section 3.2), in 1 step:');
  expect(stdout).toMatch(/1\. At once: .* consumes A .*, 2 times\. Answer: 2 consumed/);

  const texts = [stdout, readFileSync(save, 'utf8')].join('\n');
  for (const key of Object.values(target.keys)) expect(texts).not.toContain(key);
  const codes = Object.values(target.tickets).flat();
  for (const one of codes) expect(texts).not.toContain(typeof one === 'string' ? one : one.code);

  const faulty = await server(unlocked);
  const again = await replayed(save, faulty.file, '--consume');
  expect(again.code).toBe(1);
  expect(again.stdout).toMatch(/^FAILED in try \d/);

  const right = await server();
  const fixed = await replayed(save, right.file, '--consume');
  expect(fixed.stdout).toBe('FIXED: 20 tries without the fault.\n');
  expect(fixed.code).toBe(0);
});

test('a replay without enough unused tickets cannot tell: exit 2', async () => {
  const { file } = await server(unlocked);
  const save = join(temporaryFolder(), 'fault.json');
  await explorer(file, '--consume', '--save', save);
  const { world, target } = makeWorld();
  for (const ticket of world.tickets.values()) ticket.usesConsumed = ticket.usesAllowed;
  const used = await server({ world: { world, target } });
  const { code, stdout } = await replayed(save, used.file, '--consume');
  expect(stdout).toMatch(/^No result after 0 tries: the t/);
  expect(code).toBe(2);
});

test('without consent nothing is spent, on a server that lets everything in neither', async () => {
  for (const alter of [
    undefined,
    () => ({ refuse: () => undefined, verify: (code: string) => code.split('.')[1] }),
  ]) {
    const { baseUrl, world, target } = await server({ alter });
    const before = usesOfUnspent(world, target);
    await explore({ baseUrl, target, limits, seed: 3, budget: 500 });
    expect(usesOfUnspent(world, target)).toEqual(before);
  }
});

/** The uses of the tickets that could be spent. */
function usesOfUnspent(
  { tickets }: ReturnType<typeof makeWorld>['world'],
  target: ReturnType<typeof makeWorld>['target'],
) {
  const { single, multi, permanent, personalised, windowed, otherEvent, cancelled, expired } =
    target.tickets;
  return [single, multi, permanent, personalised, windowed, otherEvent, cancelled, expired]
    .flat()
    .map(({ ticketId }) => tickets.get(ticketId)?.usesConsumed);
}

const CONSUME = { endpoint: 'consume', key: 'restScoped', times: 1 };
const SAVED = {
  format: 'ticketscan-history',
  version: 1,
  isCertain: true,
  groups: [
    {
      steps: [{ ...CONSUME, ticket: { kind: 'hundred', place: 0 } }],
      dispatch: 'one-by-one',
      over: 'new',
    },
  ],
};

test('a replay names the keys and the tickets that the target lacks: exit 2, and nothing is sent', async () => {
  const { baseUrl, target } = await server();
  const { hundred: _, ...tickets } = target.tickets;
  const { restScoped: __, ...keys } = target.keys;
  const save = jsonFile(SAVED, 'fault.json');
  const lacking = (given: object) => replayed(save, jsonFile({ baseUrl, ...given }), '--consume');
  const withoutKey = await lacking({ keys, tickets: target.tickets });
  expect(withoutKey.stderr).toContain('keys that the target does not have: restScoped');
  expect(withoutKey.code).toBe(2);
  const withoutTicket = await lacking({ keys: target.keys, tickets });
  expect(withoutTicket.stdout).toContain(
    'after 0 tries: the target has no unused "hundred" ticket',
  );
  expect(withoutTicket.code).toBe(2);
});

test.each([
  ['a fault that never came back', { isReproduced: false }],
  ['a fault of a rate limit that refuses nothing now', { isLimited: true }],
])('%s is not called fixed', async (_, facts) => {
  const { file } = await server();
  const save = jsonFile({ ...SAVED, ...facts }, 'fault.json');
  const { code, stdout } = await replayed(save, file, '--consume');
  expect(stdout).toMatch(/^No result: 2 tries without the fault, but it never came back/);
  expect(code).toBe(2);
});

test('Ctrl-C ends a replay', async () => {
  const { baseUrl, target } = await server();
  const signal = AbortSignal.abort();
  const { verdict } = await replay({ baseUrl, target, consume: true, history: SAVED, signal });
  expect(verdict).toBe('stopped');
});

test('a fault and its tickets: one that was used by another run is not taken for new', async () => {
  const { baseUrl, target, world } = await server();
  const [first] = target.tickets.hundred;
  const used = world.tickets.get(first?.ticketId ?? '');
  if (used) used.usesConsumed = 3;
  const options = { baseUrl, target, limits, consume: true };
  const { verdict, requests, tries } = await replay({ ...options, history: SAVED });
  expect({ verdict, tries }).toEqual({ verdict: 'fixed', tries: 2 });
  // three to ask who is there, one on the used card, two tries, of which the second looks first
  expect(requests).toBe(6);
});

test('a limit that is lower than the target says is waited for in a soak, and told', async () => {
  let served = 0;
  const { baseUrl, target } = await server({
    alter: (parts) => ({
      withinLimit() {
        served += 1;
        return served % 40 !== 0;
      },
      limited: (side) => {
        const reply = parts.limited(side);
        return { ...reply, headers: { ...reply.headers, 'retry-after': '1' } };
      },
    }),
  });
  const options = { baseUrl, target, limits, consume: true, soakMs: 3000, maxRate: 40, seed: 5 };
  const { verdict, limited, notes } = await explore(options);
  expect(verdict).toBe('nothing-found');
  expect(limited).toBeGreaterThan(0);
  expect(notes.join()).toContain('a rate limit was exceeded');
});

test('a history that consumes is not replayed without consent', async () => {
  const { file } = await server();
  const { code, stderr } = await replayed(jsonFile(SAVED, 'fault.json'), file);
  expect(stderr).toContain('add --consume');
  expect(code).toBe(2);
});

test('the same seed sends the same, another one something else', async () => {
  const bodiesOf = async (seed: number) => {
    const bodies: string[] = [];
    const world = makeWorld();
    const { baseUrl, target } = await server({
      world,
      alter: (parts) => ({
        finish(reply, incoming) {
          const text = incoming.body.toString();
          bodies.push(`${incoming.path} ${Buffer.byteLength(text)}`);
          return parts.finish(reply, incoming);
        },
      }),
    });
    const options = { baseUrl, target, limits, seed, parallel: 1, consume: true, budget: 150 };
    const { requests } = await explore(options);
    expect(requests.find).toBeLessThanOrEqual(150);
    return bodies;
  };
  expect(await bodiesOf(11)).toEqual(await bodiesOf(11));
  expect(await bodiesOf(11)).not.toEqual(await bodiesOf(12));
});

test('a soak goes on for its time, and stays below its rate', async () => {
  const { baseUrl, target } = await server();
  const options = { baseUrl, target, limits, consume: true, soakMs: 1500, maxRate: 100, seed: 5 };
  const { requests, verdict, durationMs } = await explore(options);
  expect(verdict).toBe('nothing-found');
  expect(durationMs).toBeGreaterThan(1400);
  expect(requests.find).toBeLessThan(310);
});

test('the stated limits of a key are not reached', async () => {
  const { baseUrl, target } = await server({ rateLimits: true });
  const { limited, failure } = await explore({
    baseUrl,
    target,
    consume: true,
    seed: 4,
    budget: 400,
    parallel: 64,
  });
  expect({ limited, failure }).toEqual({ limited: 0, failure: null });
});

test.each([
  [{}, 'not a history'],
  [{ format: 'ticketscan-history', version: 9 }, 'version 9'],
  [
    {
      format: 'ticketscan-history',
      version: 1,
      groups: [{ steps: [{}], dispatch: 'one-by-one', over: 'new' }],
    },
    'groups[0].steps[0].endpoint',
  ],
])('a saved history that is wrong is refused, and the place is named', async (history, text) => {
  await expect(replay({ history })).rejects.toThrow(text);
});
