import type { Random } from '../../../kit/random.ts';
import type { Target, TicketKind } from '../../target/target.ts';
import { ACTIONS, type Action, isDevice, type TicketPlace, type Way } from './history.ts';

/** What an explorer may do, and with what. */
export interface Means {
  readonly keys: Target['keys'];
  /** How many tickets of each kind it may take. */
  readonly tickets: (kind: TicketKind) => number;
  readonly consent: boolean;
  /** Requests at once at most. */
  readonly atOnceMax: number;
  readonly heartbeats: boolean;
  /** Whether a request may be sent again as the same one. */
  readonly retries: boolean;
}

/** What one episode does; each leaves out some of it, so that the rest comes in new mixtures. */
export interface Theme {
  readonly actions: readonly (readonly [Action, number])[];
  readonly cast: readonly TicketPlace[];
  readonly ways: readonly (readonly [Way, number])[];
  readonly keepsConnections: boolean;
  readonly scoped: number;
  readonly refusedKeys: number;
  readonly forged: number;
  readonly withoutCode: number;
  readonly repeated: number;
  readonly abandoned: number;
  readonly pauses: number;
  readonly retries: number;
}

/** Chooses what an episode with these tickets does. */
export function themeFor(cast: readonly TicketPlace[], means: Means, random: Random): Theme {
  const some = (chance: number, amount: number) => (random.chance(chance) ? amount : 0);
  // a ticket of another event shows most with the keys that have no access to it
  const isScoped = cast.some(({ kind }) => kind === 'otherEvent');
  return {
    actions: actionsFor(means, random),
    cast,
    ways: [
      ['in-turn', 6],
      ['at-once', means.atOnceMax > 1 ? some(0.6, 4) : 0],
      ['pipelined', means.atOnceMax > 1 ? some(0.3, 3) : 0],
    ],
    keepsConnections: random.chance(0.6),
    scoped: isScoped ? 0.5 : some(0.3, 0.4),
    refusedKeys: some(0.4, 0.3),
    forged: some(0.4, 0.3),
    withoutCode: some(0.15, 0.15),
    repeated: some(0.4, 0.25),
    abandoned: some(0.25, 0.3),
    pauses: some(0.1, 0.15),
    retries: means.retries ? some(0.35, 0.5) : 0,
  };
}

function actionsFor({ keys, heartbeats }: Means, random: Random): Theme['actions'] {
  const weights: Record<Action, number> = {
    validate: 4,
    consume: 6,
    'device-validate': 3,
    'device-consume': 5,
    heartbeat: heartbeats ? 2 : 0,
  };
  const possible = ACTIONS.filter(
    (action) => weights[action] > 0 && keys[isDevice(action) ? 'hardware' : 'rest'] !== undefined,
  );
  const kept = possible.filter((action) => action !== 'heartbeat' && random.chance(0.7));
  const beats = possible.includes('heartbeat') && random.chance(0.35);
  const chosen = kept.length === 0 ? possible : kept;
  return [...chosen, ...(beats ? (['heartbeat'] as const) : [])].map((action) => [
    action,
    weights[action],
  ]);
}

/** True for a ticket with a holder. */
export function isPersonalised({ kind }: TicketPlace): boolean {
  return kind === 'personalised';
}

/** True for an episode in which a name is shown. */
export function isPersonal({ cast }: Theme): boolean {
  return cast.some(isPersonalised);
}
