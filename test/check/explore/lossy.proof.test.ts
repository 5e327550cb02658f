import { expect, onTestFinished, test } from 'vitest';
import { explorationLines } from '../../../src/check/commands/exploration-text.ts';
import type { Observation } from '../../../src/check/explore/observation.ts';
import { storyOf } from '../../../src/check/explore/story.ts';
import { explore, replay } from '../../../src/check/index.ts';
import { Random } from '../../../src/kit/random.ts';
import { type Losses, lossyLine } from '../../mutants/lines.ts';
import { type ServerOptions, startServer } from '../../mutants/reference/server.ts';
import { jsonFile } from '../support/files.ts';
import { runCommand } from '../support/run-command.ts';

const limits = { rate: 1e6, burst: 1e6 };

async function over(losses: Omit<Losses, 'random'>, seed: number, options: ServerOptions = {}) {
  const server = await startServer(options);
  const random = new Random(seed);
  const line = await lossyLine(server.baseUrl, { ...losses, random: () => random.next() });
  onTestFinished(async () => {
    line.close();
    await server.close();
  });
  return { baseUrl: line.baseUrl, target: server.target, limits, consume: true, seed, budget: 400 };
}

test.each([
  [{ dropped: 20 }, 1],
  [{ cut: 10 }, 4],
])('a right server behind a line that loses %j is not accused, seed %i', async (losses, seed) => {
  const { verdict, failure, lost, requests } = await explore({
    ...(await over(losses, seed)),
    budget: 150,
  });
  expect({ verdict, failure }).toEqual({ verdict: 'incomplete', failure: null });
  expect(lost).toBeGreaterThan(0);
  expect(requests.find).toBeGreaterThan(120);
});

test('the command ends with exit 3, and the last line says why', async () => {
  const { baseUrl, target } = await over({ dropped: 20 }, 5);
  const file = jsonFile({ baseUrl, ...target, limits });
  const args = ['--target', file, '--consume', '--seed', '5', '--budget', '60'];
  const { code, stdout } = await runCommand(['check', 'explore', ...args]);
  expect(stdout).toMatch(/Note: The connection was lost \d+ times?\./);
  expect(stdout).toMatch(
    /\nIncomplete: nothing was found in .* the connection was lost \d+ times?\.\n$/,
  );
  expect(code).toBe(3);
});

test('a fault behind such a line is found all the same', async () => {
  const options = await over({ dropped: 40 }, 6, {
    alter: () => ({
      async register(ticket) {
        const { usesConsumed } = ticket;
        await new Promise((resolve) => setImmediate(resolve));
        ticket.usesConsumed = usesConsumed + 1;
      },
    }),
  });
  const { failure } = await explore({ ...options, budget: 2000 });
  expect(failure?.rule).toBe('use-given-twice');
});

test('what leaves the same request without an answer each time is a fault', async () => {
  const options = await over({}, 7, {
    only: 'hw/consume',
    write: (response) => void response.socket?.destroy(),
  });
  const result = await explore(options);
  const { failure } = result;
  if (!failure) throw new Error('no fault');
  expect(failure).toMatchObject({ rule: 'no-answer', steps: 1, cameBack: { times: 5, tries: 5 } });

  // the same, had it never come back, is said plainly
  const history = { ...failure.history, isReproduced: false };
  const never = { ...failure, history, cameBack: { times: 0, tries: 5 } };
  const text = explorationLines({ ...result, failure: never }, 'fault.json').join('\n');
  expect(text).toContain(
    'It did not come back in 5 tries: it depends on timing, or on state from before.',
  );
  expect(text).toContain('a replay without it has no result');
  expect(text).not.toMatch(/No step can be left out|0 of 5/);
});

test('a replay over such a line does not call a lost connection the fault', async () => {
  const step = { endpoint: 'validate', key: 'rest', ticket: { kind: 'multi', place: 0 }, times: 9 };
  const groups = [{ steps: [step], dispatch: 'one-by-one', over: 'new' }];
  const history = { format: 'ticketscan-history', version: 1, rule: 'no-answer', groups };
  const { seed: _, budget: __, ...options } = await over({ dropped: 40 }, 8);
  const { verdict } = await replay({ ...options, history });
  expect(verdict).toBe('fixed');
});

test.each([
  ['rest', 'refused for the key'],
  ['hardwareScoped', 'refused for the event'],
] as const)('a 401 for the key "%s" at a device is %s', (key, words) => {
  const step = { endpoint: 'hw/validate', key, times: 1 } as const;
  const seen = { step, outcome: 'event_not_allowed', answer: { status: 401 } };
  const history = [{ steps: [step], dispatch: 'one-by-one', over: 'new' }] as const;
  expect(storyOf(history, [[seen as unknown as Observation]])[0]).toContain(`Answer: ${words}.`);
});
