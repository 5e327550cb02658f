import { rmSync } from 'node:fs';
import { ENGINES, type Part, type PartOptions, SkippedError } from '../part.ts';
import { Random } from '../world/random.ts';
import { createWorld, type World } from '../world/world.ts';
import { type CutResult, cutPower } from './cuts.ts';
import { type RecordingOptions, record } from './recording.ts';
import { hasStrace } from './traced-shell.ts';

type Variant = Omit<RecordingOptions, 'world' | 'random'> & {
  readonly what: string;
  readonly share: number;
};

/** Each gets its share of the cuts. */
const VARIANTS: Readonly<Record<'sqlite' | 'json', readonly Variant[]>> = {
  sqlite: [
    { what: 'one server', servers: 1, requests: 3000, changes: true, share: 0.4 },
    { what: 'two servers', servers: 2, requests: 2000, changes: true, share: 0.3 },
    // Long enough for the log to be folded into the counters and the write-ahead log into the file.
    { what: 'one server, long', servers: 1, requests: 20_000, share: 0.2 },
    {
      what: 'syncs that fail',
      servers: 1,
      requests: 1500,
      inject: ['fsync:error=EIO:when=5+7', 'fdatasync:error=EIO:when=5+7'],
      share: 0.1,
    },
  ],
  json: [
    // One program at a time: nothing else can change the store meanwhile.
    { what: 'one server', servers: 1, requests: 3000, share: 0.7 },
    {
      what: 'syncs that fail',
      servers: 1,
      requests: 1500,
      inject: ['fsync:error=EIO:when=5+7', 'fdatasync:error=EIO:when=5+7'],
      share: 0.3,
    },
  ],
};

/** Writes that were not synced are dropped, torn and reordered at random moments. */
export const powerCut: Part = {
  name: 'power-cut',
  about: 'cuts the power at random moments of a recorded run, --cuts times',
  engines: ENGINES,
  async run(options) {
    if (!hasStrace()) throw new SkippedError('strace is not installed');
    const world = await createWorld(options.engine, 40);
    const random = new Random(options.seed);
    const results: CutResult[] = [];
    for (const { what, share, ...variant } of VARIANTS[options.engine]) {
      const cuts = Math.ceil(options.cuts * share);
      results.push(await cutVariant(world, what, variant, cuts, random, options));
    }
    const sum = (pick: (result: CutResult) => number) =>
      results.reduce((total, one) => total + pick(one), 0);
    rmSync(world.folder, { recursive: true, force: true });
    return `${sum((one) => one.cuts)} cuts, ${sum((one) => one.acknowledged)} acknowledged requests looked for, 0 lost`;
  },
};

async function cutVariant(
  world: World,
  what: string,
  variant: Omit<RecordingOptions, 'world' | 'random'>,
  cuts: number,
  random: Random,
  { say }: PartOptions,
): Promise<CutResult> {
  const recording = await record({ world, random: random.fork(), ...variant });
  say(`${what}: ${recording.steps.length} system calls recorded, ${cuts} cuts`);
  const result = cutPower(world, recording, cuts, random.fork());
  const [first] = result.broken;
  if (first) {
    const texts = first.problems.slice(0, 3).map(({ rule, text }) => `  ${rule}: ${text}`);
    throw new Error(
      `${what}: ${result.broken.length} of ${cuts} cuts broke a promise; ` +
        `the first at step ${first.step} with image seed ${first.seed}\n${texts.join('\n')}\n  trace: ${recording.folder}`,
    );
  }
  rmSync(recording.folder, { recursive: true, force: true });
  return result;
}
