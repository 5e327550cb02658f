import { expect, onTestFinished, test } from 'vitest';
import { explore } from '../../../src/check/index.ts';
import type { Reply } from '../../mutants/reference/parts.ts';
import { type ServerOptions, startServer } from '../../mutants/reference/server.ts';
import { NO_LIMITS, startExploredService } from '../../support/explored-service.ts';

const options = { consume: true, limits: NO_LIMITS };

test.each([1, 2, 3])(
  'a service that answers repeated requests from memory is right, seed %i',
  async (seed) => {
    await using service = await startExploredService('memory', 60_000);
    const { target } = service;
    const { failure } = await explore({ ...options, target, seed, budget: 1000 });
    expect(failure).toBe(null);
  },
);

test('one that answers them from memory and counts them all the same is not', async () => {
  const failure = await failureOn({ alter: rememberingAnswers() });
  expect(failure?.rule).toBe('uses-from-nowhere');
  expect(failure?.story.join()).toContain('as one request (the same Idempotency-Key or serial)');
});

test('nor one that answers them from memory with the answer to another ticket', async () => {
  let last: Reply | undefined;
  const failure = await failureOn({
    alter: (parts) => ({
      finish(reply, incoming) {
        const right = parts.finish(reply, incoming);
        if (incoming.request.headers['idempotency-key'] === undefined) return right;
        const before = last ?? right;
        last = right;
        return before;
      },
    }),
  });
  expect(failure).not.toBe(null);
});

async function failureOn(server: ServerOptions) {
  const { baseUrl, target, close } = await startServer(server);
  onTestFinished(close);
  const { failure } = await explore({ ...options, baseUrl, target, seed: 1 });
  return failure;
}

function rememberingAnswers(): ServerOptions['alter'] {
  const answers = new Map<string, Reply>();
  return (parts) => ({
    finish(reply, incoming) {
      const right = parts.finish(reply, incoming);
      const name = incoming.request.headers['idempotency-key'];
      if (typeof name !== 'string') return right;
      const known = answers.get(name) ?? right;
      answers.set(name, known);
      return known;
    },
  });
}
