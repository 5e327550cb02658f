import { readFileSync } from 'node:fs';
import { exploreIn } from '../../src/check/explore/explore.ts';
import { replayIn } from '../../src/check/explore/replay.ts';
import {
  type ExploreOptions,
  type ExploreResult,
  explore,
  type ReplayOptions,
  type ReplayResult,
  replay,
} from '../../src/check/index.ts';
import { isWhole } from '../support/whole.ts';
import type { FaultyServer } from './faults/faulty-server.ts';
import { HISTORY_BY_FILE, HISTORY_FAULTS } from './faults/index.ts';
import { minterOf } from './reference/minter.ts';
import { startServer } from './reference/server.ts';
import { virtualServer } from './reference/virtual-world.ts';
import type { World } from './reference/world.ts';
import { fingerprintsOf } from './selection.ts';

/** How an exploration found a faulty server. */
export interface Explored {
  /** The first seed that finds it in a few steps, each of them needed; null where only fixed cases find it, or nothing. */
  readonly seed: number | null;
  /** The rule that its answers break; null as above. */
  readonly rule: string | null;
}

/** An entry of explored.json: what was found, and in what. */
interface KeptExplored extends Explored {
  readonly source: string | undefined;
}

const FILE = new URL('explored.json', import.meta.url);

/** What `npm run found` saw when it explored each faulty server. */
export const EXPLORED: Readonly<Record<string, KeptExplored>> = JSON.parse(
  readFileSync(FILE, 'utf8'),
);

const FAST = { rate: 1e6, burst: 1e6 };
export const SEEDS = [1, 2, 3];
const STEPS_MAX = 6;
/** The other servers get new tickets for each try. */
const OWN_TICKETS_EVERY = 6;
const REPLAYS_MAX = 3;
/** Servers that show the same rule: more than one, since one rule is broken in several ways. */
const PER_RULE = 2;

/** The faults of history that are new, or were changed, since `npm run found` looked at them. */
export function changedHistories(): readonly FaultyServer[] {
  const hashes = fingerprintsOf(HISTORY_BY_FILE);
  return HISTORY_FAULTS.filter(({ name }) => EXPLORED[name]?.source !== hashes.get(name));
}

/**
 * The faults of history that this run explores: all in a whole run, else some of each rule that is ever broken, and those that are
 * new or changed since `npm run found` looked at them.
 */
export function exploredFaults(): readonly FaultyServer[] {
  if (isWhole()) return HISTORY_FAULTS;
  const changed = new Set(changedHistories());
  const chosen = new Map<string | null, number>();
  return HISTORY_FAULTS.filter((one) => {
    const kept = EXPLORED[one.name];
    if (kept === undefined || changed.has(one)) return true;
    const count = (chosen.get(kept.rule) ?? 0) + 1;
    chosen.set(kept.rule, count);
    return count <= PER_RULE;
  });
}

export interface Exploration {
  /** Found, and so short that each of its few steps is needed. */
  readonly isFound: boolean;
  readonly rule: string | null;
  /** Why a replay of what was saved does not fail; undefined where it does, or nothing was found. */
  readonly notReplayed?: string;
}

/** What explore saves must be FAILED at once on the server that showed it: on new tickets, or on the target's own. */
export async function exploreFaulty(faulty: FaultyServer, seed: number): Promise<Exploration> {
  const { baseUrl, target, world, asking, close } = await askable(faulty);
  try {
    const hasOwnTickets = HISTORY_FAULTS.indexOf(faulty) % OWN_TICKETS_EVERY === 0;
    const mint = hasOwnTickets ? undefined : minterOf(world);
    const options = { baseUrl, target, consume: true, limits: FAST, mint };
    const { failure } = await asking.explore({ ...options, seed });
    if (!failure || failure.shrunk === 'not again') return { isFound: false, rule: null };
    const { rule, shrunk, steps, story } = failure;
    const isFound = shrunk === 'fully' && steps <= STEPS_MAX;
    const verdict = await verdictOfReplay(asking, { ...options, history: failure.history });
    const isUsedUp = verdict === 'lacks-tickets' && hasOwnTickets;
    if (verdict === 'failed' || isUsedUp) return { isFound, rule };
    return { isFound, rule, notReplayed: `${faulty.name}: ${verdict}, ${story.join(' / ')}` };
  } finally {
    await close();
  }
}

/** What is done with a server, in the world where it is. */
interface Asking {
  explore(options: ExploreOptions): Promise<ExploreResult>;
  replay(options: ReplayOptions): Promise<ReplayResult>;
}

interface Askable {
  readonly baseUrl: string;
  readonly target: ReplayOptions['target'];
  readonly world: World;
  readonly asking: Asking;
  close(): Promise<void>;
}

/** A server over sockets, or in virtual time where it errs by its clock. */
async function askable(faulty: FaultyServer): Promise<Askable> {
  if (!faulty.isByTheClock) return { ...(await startServer(faulty)), asking: { explore, replay } };
  const { world, served, baseUrl, target } = virtualServer(faulty);
  const asking: Asking = {
    explore: (options) => world.run(exploreIn(world, options)),
    replay: (options) => world.run(replayIn(world, options)),
  };
  return { baseUrl, target, world: served, asking, close: async () => undefined };
}

/** A busy machine shifts the moments of a history, so that a replay cannot tell: it gets more tries. */
async function verdictOfReplay({ replay: again }: Asking, options: ReplayOptions) {
  for (let tries = REPLAYS_MAX; ; tries--) {
    const { verdict } = await again(options);
    if (verdict !== 'cannot-tell' || tries === 1) return verdict;
  }
}

/** Explores a faulty server with one seed after another, until one finds it. */
export async function exploredWith(faulty: FaultyServer): Promise<Explored> {
  for (const seed of SEEDS) {
    const { isFound, rule } = await exploreFaulty(faulty, seed);
    if (isFound) return { seed, rule };
  }
  return { seed: null, rule: null };
}
