import { rmSync } from 'node:fs';
import { ENGINES, type Part } from '../part.ts';
import { mustHold } from '../world/judge.ts';
import { Random } from '../world/random.ts';
import { copyOf, createWorld } from '../world/world.ts';
import { FaultRun, until } from './run.ts';

const ROUNDS = 40;
/** A connection that was idle may be closed just as its client asks on it; then nothing was read. */
const NOT_TAKEN = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

/** A stop in good order: who was heard is answered, the store is closed, the exit code is 0. */
export const terminate: Part = {
  name: 'terminate',
  about: 'SIGTERM under load, again and again, on the same store',
  engines: ENGINES,
  async run({ seed, engine, say }) {
    const world = await createWorld(engine, 100);
    const run = new FaultRun(world, copyOf(world, 'terminate'), new Random(seed), {
      servers: ROUNDS,
    });
    for (let round = 1; round <= ROUNDS; round += 1) {
      await run.start();
      const granted = run.load.granted;
      await until('uses are registered', () => run.load.granted > granted + 30);
      const code = await run.stop('SIGTERM');
      if (code !== 0) throw new Error(`the server ended with ${code}`);
    }
    await run.load.stop();
    const strange = run.recorder.lines.filter(
      (line) => line.type === 'unknown' && !NOT_TAKEN.has(line.why),
    );
    if (strange.length > 0)
      throw new Error(`a request was left without an answer: ${JSON.stringify(strange[0])}`);
    mustHold(run.recorder, run.place, 'stopped in good order');
    rmSync(world.folder, { recursive: true, force: true });
    say(`${run.unknown} requests came too late`);
    return `${ROUNDS} stops, exit code 0 each, ${run.load.granted} uses acknowledged, none lost`;
  },
};
