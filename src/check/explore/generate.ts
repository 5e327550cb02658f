import { Random } from '../../kit/random.ts';
import type { Target, TicketKind } from '../deployment/target.ts';
import { ENDPOINTS, type Endpoint, isConsume, isRest } from '../facts/exchange.ts';
import {
  CONNECTIONS,
  type Dispatch,
  FORGERIES,
  type Group,
  type KeyRef,
  lookAt,
  needsConsent,
  REQUESTS_TOGETHER_MAX,
  requestsOf,
  type Slot,
  type Step,
} from './history.ts';

/** What an explorer may do, and with what. */
export interface Capabilities {
  readonly keys: Target['keys'];
  /** How many tickets of each kind it may take. */
  readonly tickets: (kind: TicketKind) => number;
  readonly consent: boolean;
  /** Requests at once at most. */
  readonly togetherMax: number;
  readonly heartbeats: boolean;
  /** Whether a request may be sent again as the same one. */
  readonly retries: boolean;
}

/** What one episode does; each leaves out some of it, so that the rest comes in new mixtures. Numbers are probabilities. */
interface Profile {
  readonly endpoints: Weighted<Endpoint>;
  readonly tickets: readonly Slot[];
  readonly dispatches: Weighted<Dispatch>;
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

/** Things to choose from, each with its weight. */
type Weighted<Item> = readonly (readonly [Item, number])[];

const KIND_WEIGHTS: Weighted<TicketKind> = [
  ['single', 5],
  ['multi', 7],
  ['permanent', 4],
  ['personalised', 5],
  ['windowed', 2],
  ['exhausted', 2],
  ['cancelled', 2],
  ['expired', 1],
  ['notYetValid', 1],
  ['otherEvent', 3],
  ['unknown', 2],
  ['hundred', 3],
  ['openEnd', 1],
  ['openStart', 1],
  ['otherOrganisation', 1],
];
const ENDPOINT_WEIGHTS: Readonly<Record<Endpoint, number>> = {
  validate: 4,
  consume: 6,
  'hw/validate': 3,
  'hw/consume': 5,
  heartbeat: 2,
};
/** How many different tickets an episode has, and how many different steps a group. */
const FEW: Weighted<number> = [
  [1, 4],
  [2, 3],
  [3, 1],
];
const REFUSED_REST: readonly KeyRef[] = ['missing', 'unknown', 'disabled', 'deleted', 'hardware'];
const REFUSED_DEVICE: readonly KeyRef[] = [
  'missing',
  'unknown',
  'hardwareDisabled',
  'hardwareDeleted',
  'rest',
];
/** Without a holder, and granted again and again: a name that such a ticket shows is another's. */
const NAMELESS: readonly TicketKind[] = ['multi', 'permanent', 'hundred'];
/** Mostly short: a cache that forgets after seconds is for a soak to find. */
const PAUSES_MS = [5, 10, 20, 50, 100, 200, 1200];
const REPEATS = [2, 2, 2, 3, 3, 4, 5, 6, 10, 20];
/** How often an episode takes a ticket of an earlier one. */
const AGAIN = 0.25;
/** How often requests at once are one ticket's consumes and validates. */
const DISTURBED = 0.3;
/** How often a heartbeat leaves together with others. */
const BEATS_BESIDE = 0.3;
const PIPELINED_MAX = 8;

/** Makes histories up, an episode with a few tickets at a time. The same seed and capabilities give the same ones. */
export class Generator {
  readonly #random: Random;
  readonly #may: Capabilities;
  /** How many tickets of each kind were taken so far. */
  readonly #taken = new Map<TicketKind, number>();

  constructor(seed: number, may: Capabilities) {
    this.#random = new Random(seed);
    this.#may = may;
  }

  /** Some groups about the same few tickets. */
  episode(): Group[] {
    const profile = this.#profile();
    const groups: Group[] = [];
    // after the first look at a ticket every use is known; whose name an answer shows is only known of tickets that were looked at
    if (this.#random.chance(isPersonal(profile) ? 0.9 : 0.5))
      groups.push(...profile.tickets.map((ticket) => lookAt(ticket, this.#may.keys)));
    const length = this.#random.between(3, 10);
    while (groups.length < length) {
      const group = this.#group(profile, groups.at(-1));
      groups.push(group, ...this.#looksAfter(group));
    }
    return groups;
  }

  /** One to three tickets; the next unused ones while there are some, then used ones again. */
  #tickets(): Slot[] {
    const weights = KIND_WEIGHTS.filter(([kind]) => this.#may.tickets(kind) > 0);
    if (weights.length === 0) return [];
    const count = this.#random.weighted(FEW);
    const tickets = Array.from({ length: count }, () => this.#ticket(weights));
    const nameless = weights.filter(([kind]) => NAMELESS.includes(kind));
    if (tickets.some(isPersonalised) && nameless.length > 0) tickets.push(this.#ticket(nameless));
    return tickets;
  }

  #ticket(weights: typeof KIND_WEIGHTS): Slot {
    const kind = this.#random.weighted(weights);
    const have = this.#may.tickets(kind);
    const next = this.#taken.get(kind) ?? 0;
    if (next >= have || (next > 0 && this.#random.chance(AGAIN)))
      return { kind, place: this.#random.between(0, Math.min(next, have) - 1) };
    this.#taken.set(kind, next + 1);
    return { kind, place: next };
  }

  #profile(): Profile {
    const tickets = this.#tickets();
    const random = this.#random;
    const some = (chance: number, amount: number) => (random.chance(chance) ? amount : 0);
    // a ticket of another event shows most with the keys that have no access to it
    const isScoped = tickets.some(({ kind }) => kind === 'otherEvent');
    const mayTogether = this.#may.togetherMax > 1;
    return {
      endpoints: this.#endpoints(),
      tickets,
      dispatches: [
        ['one-by-one', 6],
        ['together', mayTogether ? some(0.6, 4) : 0],
        ['pipelined', mayTogether ? some(0.3, 3) : 0],
      ],
      keepsConnections: random.chance(0.6),
      scoped: isScoped ? 0.5 : some(0.3, 0.4),
      refusedKeys: some(0.4, 0.3),
      forged: some(0.4, 0.3),
      withoutCode: some(0.15, 0.15),
      repeated: some(0.4, 0.25),
      abandoned: some(0.25, 0.3),
      pauses: some(0.1, 0.15),
      retries: this.#may.retries ? some(0.35, 0.5) : 0,
    };
  }

  #endpoints(): Weighted<Endpoint> {
    const { keys, heartbeats } = this.#may;
    const scans = ENDPOINTS.filter(
      (one) => one !== 'heartbeat' && keys[isRest(one) ? 'rest' : 'hardware'] !== undefined,
    );
    const kept = scans.filter(() => this.#random.chance(0.7));
    const beats = heartbeats && this.#random.chance(0.35);
    const chosen = [
      ...(kept.length === 0 ? scans : kept),
      ...(beats ? ['heartbeat' as const] : []),
    ];
    return chosen.map((endpoint) => [endpoint, ENDPOINT_WEIGHTS[endpoint]]);
  }

  /** What a request without an answer, or one that was sent again, did shows at the next look. */
  #looksAfter({ steps }: Group): Group[] {
    const unclear = steps.filter(({ abandon, retry }) => abandon || retry);
    return unclear.flatMap(({ ticket }) => (ticket ? [lookAt(ticket, this.#may.keys)] : []));
  }

  #group(profile: Profile, before: Group | undefined): Group {
    const random = this.#random;
    const dispatch = random.weighted(profile.dispatches);
    const keepsOne = dispatch !== 'together' && profile.keepsConnections && random.chance(0.8);
    const over = keepsOne ? random.pick(CONNECTIONS.slice(1)) : 'new';
    const pauseMs = random.chance(profile.pauses) ? random.pick(PAUSES_MS) : undefined;
    const steps =
      dispatch === 'one-by-one'
        ? [this.#alone(profile, before)]
        : this.#together(profile, dispatch);
    return { steps, dispatch, over, ...(pauseMs === undefined ? {} : { pauseMs }) };
  }

  #alone(profile: Profile, before: Group | undefined): Step {
    const random = this.#random;
    const last = before?.steps.at(-1);
    if (last && random.chance(0.2)) return { ...last, times: 1 };
    const times = random.chance(profile.repeated) ? random.pick(REPEATS) : 1;
    const abandon = random.chance(profile.abandoned);
    const step = { ...this.#step(profile), times, ...(abandon ? { abandon } : {}) };
    return this.#asRetry(profile, step);
  }

  #together(profile: Profile, dispatch: Dispatch): Step[] {
    const random = this.#random;
    const most = Math.min(
      this.#may.togetherMax,
      dispatch === 'pipelined' ? PIPELINED_MAX : REQUESTS_TOGETHER_MAX,
    );
    const size = random.chance(0.15)
      ? random.between(Math.ceil(most / 2), most)
      : random.between(2, Math.max(2, Math.min(4, most)));
    const kinds = random.weighted(FEW);
    if (profile.tickets.length > 1 && random.chance(isPersonal(profile) ? 0.5 : 0.3))
      return this.#oneOfEach(profile, size);
    if (random.chance(DISTURBED)) return this.#disturbed(profile, size);
    const steps: Step[] = [];
    for (let left = size; left > 0; ) {
      const isLast = steps.length + 1 >= kinds;
      const times = isLast ? left : random.between(1, left);
      steps.push(this.#asRetry(profile, { ...this.#step(profile), times }));
      left -= times;
    }
    return this.#withHeartbeat(steps);
  }

  /** Sometimes the repetitions of a consume are the same request again. */
  #asRetry({ retries }: Profile, step: Step): Step {
    const mayBeOne = isConsume(step.endpoint) && step.ticket !== undefined && step.times > 1;
    return mayBeOne && this.#random.chance(retries) ? { ...step, retry: true } : step;
  }

  /** A ticket is consumed while it is looked at, or while a heartbeat comes. */
  #disturbed(profile: Profile, size: number): Step[] {
    const step = this.#step({ ...profile, forged: 0, refusedKeys: 0, withoutCode: 0 });
    const { ticket } = step;
    if (!ticket) return [{ ...step, times: size }];
    const times = Math.max(1, Math.floor(size / 2));
    const scans = profile.endpoints.flatMap(([one]) => (one === 'heartbeat' ? [] : [one]));
    const look = sisterOf(this.#random.pick(scans), 'validate');
    const steps: Step[] = [
      this.#withinConsent({ ...step, endpoint: sisterOf(step.endpoint, 'consume'), times }),
      {
        endpoint: look,
        key: isRest(look) ? 'rest' : 'hardware',
        ticket,
        times: Math.max(1, size - times),
      },
    ];
    return this.#withHeartbeat(this.#random.chance(0.5) ? steps : steps.toReversed());
  }

  #withHeartbeat(steps: Step[]): Step[] {
    const { togetherMax, heartbeats } = this.#may;
    const isRoom = requestsOf({ steps }) < togetherMax;
    if (!heartbeats || !isRoom || !this.#random.chance(BEATS_BESIDE)) return steps;
    // first, so that the others come while it is answered
    return [{ endpoint: 'heartbeat', key: 'hardware', times: 1 }, ...steps];
  }

  /** The same for each ticket: this shows best whether answers are mixed up. */
  #oneOfEach(profile: Profile, size: number): Step[] {
    const step = this.#step(profile);
    if (!step.ticket) return [{ ...step, times: size }];
    const times = Math.max(1, Math.floor(size / profile.tickets.length));
    const tickets = profile.tickets.slice(0, size);
    return tickets.map((ticket) => this.#withinConsent({ ...step, ticket, times }));
  }

  #step(profile: Profile): Step {
    const random = this.#random;
    const endpoint = random.weighted(profile.endpoints);
    const key = this.#key(profile, endpoint);
    const hasCode = endpoint !== 'heartbeat' && !random.chance(profile.withoutCode);
    if (!hasCode || profile.tickets.length === 0) return { endpoint, key, times: 1 };
    const ticket = random.pick(profile.tickets);
    const forge = random.chance(profile.forged) ? { forge: random.pick(FORGERIES) } : {};
    return this.#withinConsent({ endpoint, key, ticket, ...forge, times: 1 });
  }

  /** The step, or its validating sister where the use must not be taken. */
  #withinConsent(step: Step): Step {
    const { endpoint, key, ticket } = step;
    const isOthers =
      ticket?.kind === 'otherOrganisation' ||
      (ticket?.kind === 'otherEvent' && (key === 'rest' || key === 'hardware'));
    const isAllowed = this.#may.consent || !needsConsent(step);
    return isAllowed && !isOthers ? step : { ...step, endpoint: sisterOf(endpoint, 'validate') };
  }

  #key(profile: Profile, endpoint: Endpoint): KeyRef {
    const has = (key: KeyRef) =>
      key === 'missing' || key === 'unknown' || this.#may.keys[key] !== undefined;
    if (this.#random.chance(profile.refusedKeys))
      return this.#random.pick((isRest(endpoint) ? REFUSED_REST : REFUSED_DEVICE).filter(has));
    const plain = isRest(endpoint) ? 'rest' : 'hardware';
    const scoped = `${plain}Scoped` as const;
    return has(scoped) && this.#random.chance(profile.scoped) ? scoped : plain;
  }
}

/** The endpoint of the same side that validates or consumes; a heartbeat's is the device's. */
function sisterOf(endpoint: Endpoint, what: 'validate' | 'consume'): Endpoint {
  return isRest(endpoint) ? what : `hw/${what}`;
}

function isPersonalised({ kind }: Slot): boolean {
  return kind === 'personalised';
}

/** True for an episode in which a name is shown. */
function isPersonal({ tickets }: Profile): boolean {
  return tickets.some(isPersonalised);
}
