import { describe, expect, test } from 'vitest';
import { explore, replay } from '../../../src/check/index.ts';
import { minterOf } from '../../mutants/history/minter.ts';
import { HISTORY_TWINS } from '../../mutants/history/twins/index.ts';
import type { HistoryTwin } from '../../mutants/history/twins/twin.ts';
import { startServer } from '../../mutants/reference/server.ts';

const limits = { rate: 1e6, burst: 1e6 };
/** They mostly wait: for pauses, for each other, for a connection. */
const AT_ONCE = 6;

describe('what explore saves is FAILED at once on the server that showed it', {
  timeout: 600_000,
}, () => {
  test.each(['new tickets', 'the tickets of the target'] as const)('with %s', async (which) => {
    const wrong: string[] = [];
    const queue = HISTORY_TWINS.values();
    const worker = async () => {
      for (const twin of queue) {
        const problem = await problemOf(twin, which === 'new tickets');
        if (problem) wrong.push(`${twin.name}: ${problem}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    expect(wrong).toEqual([]);
  });
});

/** Explores a faulty server and replays what was saved; undefined when it came back, or was never seen again. */
async function problemOf(twin: HistoryTwin, isMinting: boolean): Promise<string | undefined> {
  const server = await startServer(twin.make());
  try {
    const { baseUrl, target, world } = server;
    const mint = isMinting ? minterOf(world) : undefined;
    const options = { baseUrl, target, limits, consume: true, mint };
    const { failure } = await explore({ ...options, seed: 1 });
    if (!failure || failure.shrunk === 'not again') return undefined;
    const { verdict, rule, lacking } = await replay({ ...options, history: failure.history });
    if (verdict === 'lacks-tickets' && !isMinting) return undefined;
    if (verdict === 'failed') return undefined;
    return `${failure.rule} in ${failure.steps} steps, then ${verdict} (${rule}) ${lacking ?? ''} ${failure.story.join(' / ')}`;
  } finally {
    await server.close();
  }
}
