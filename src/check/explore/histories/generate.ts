import type { Random } from '../../../kit/random.ts';
import { Casting } from './cast.ts';
import {
  type Action,
  type Card,
  CONNECTIONS,
  consumes,
  FORGERIES,
  type Group,
  isDevice,
  type KeyPlace,
  lookAt,
  needsConsent,
  requestsOf,
  type Step,
  type Way,
} from './history.ts';
import { isPersonal, type Means, type Theme, themeFor } from './theme.ts';

const REFUSED_REST: readonly KeyPlace[] = ['missing', 'unknown', 'disabled', 'deleted', 'hardware'];
const REFUSED_DEVICE: readonly KeyPlace[] = [
  'missing',
  'unknown',
  'hardwareDisabled',
  'hardwareDeleted',
  'rest',
];
/** Mostly short: a cache that forgets after seconds is for a soak to find. */
const PAUSES_MS = [5, 10, 20, 50, 100, 200, 1200];
const REPEATS = [2, 2, 2, 3, 3, 4, 5, 6, 10, 20];

/** How often requests at once are one ticket's consumes and validates. */
const DISTURBED = 0.3;
/** How often a heartbeat leaves together with others. */
const BEATS_BESIDE = 0.3;

const HEARTBEAT: Step = { action: 'heartbeat', key: 'hardware', times: 1 };

/** Makes histories up, an episode with a few tickets at a time. The same seed and means give the same ones. */
export class Generator {
  readonly #random: Random;
  readonly #means: Means;
  readonly #casting: Casting;

  constructor(random: Random, means: Means) {
    this.#random = random;
    this.#means = means;
    this.#casting = new Casting(random, means);
  }

  /** Some groups about the same few tickets. */
  episode(): Group[] {
    const theme = themeFor(this.#casting.next(), this.#means, this.#random);
    const groups: Group[] = [];
    // whose name an answer shows is only known of tickets that were looked at
    if (this.#random.chance(isPersonal(theme) ? 0.9 : 0.5)) groups.push(...this.#looks(theme));
    const length = this.#random.between(3, 10);
    while (groups.length < length) {
      const group = this.#group(theme, groups.at(-1));
      groups.push(group, ...this.#looksAfter(group));
    }
    return groups;
  }

  /** The first look at each ticket of an episode: after it, every use is known. */
  #looks({ cast }: Theme): Group[] {
    return cast.map((ticket) => lookAt(ticket, this.#means.keys));
  }

  /** What a request without an answer, or one that was sent again, did shows at the next look. */
  #looksAfter({ steps }: Group): Group[] {
    const unclear = steps.filter(({ abandoned, retry }) => abandoned || retry);
    return unclear.flatMap(({ card }) => (card ? [lookAt(card.ticket, this.#means.keys)] : []));
  }

  #group(theme: Theme, before: Group | undefined): Group {
    const random = this.#random;
    const way = random.weighted(theme.ways);
    const over =
      way !== 'at-once' && theme.keepsConnections && random.chance(0.8)
        ? random.pick(CONNECTIONS.slice(1))
        : 'new';
    const pauseMs = random.chance(theme.pauses) ? random.pick(PAUSES_MS) : undefined;
    const steps = way === 'in-turn' ? [this.#inTurn(theme, before)] : this.#together(theme, way);
    return { steps, way, over, ...(pauseMs === undefined ? {} : { pauseMs }) };
  }

  #inTurn(theme: Theme, before: Group | undefined): Step {
    const random = this.#random;
    const last = before?.steps.at(-1);
    if (last && random.chance(0.2)) return { ...last, times: 1 };
    const times = random.chance(theme.repeated) ? random.pick(REPEATS) : 1;
    const abandoned = random.chance(theme.abandoned);
    const step = { ...this.#step(theme), times, ...(abandoned ? { abandoned } : {}) };
    return this.#asRetry(theme, step);
  }

  #together(theme: Theme, way: Way): Step[] {
    const random = this.#random;
    const most = Math.min(this.#means.atOnceMax, way === 'pipelined' ? 8 : 64);
    const size = random.chance(0.15)
      ? random.between(Math.ceil(most / 2), most)
      : random.between(2, Math.max(2, Math.min(4, most)));
    const kinds = random.weighted([
      [1, 4],
      [2, 3],
      [3, 1],
    ]);
    if (theme.cast.length > 1 && random.chance(isPersonal(theme) ? 0.5 : 0.3))
      return this.#oneOfEach(theme, size);
    if (random.chance(DISTURBED)) return this.#disturbed(theme, size);
    const steps: Step[] = [];
    for (let left = size; left > 0; ) {
      const isLast = steps.length + 1 >= kinds;
      const times = isLast ? left : random.between(1, left);
      steps.push(this.#asRetry(theme, { ...this.#step(theme), times }));
      left -= times;
    }
    return this.#withHeartbeat(steps);
  }

  /** Sometimes the repetitions of a consume are the same request again. */
  #asRetry({ retries }: Theme, step: Step): Step {
    const isConsume = consumes(step.action) && step.card !== undefined;
    const isOne = isConsume && step.times > 1 && this.#random.chance(retries);
    return isOne ? { ...step, retry: true } : step;
  }

  /** A ticket is consumed while it is looked at, or while a heartbeat comes. */
  #disturbed(theme: Theme, size: number): Step[] {
    const step = this.#step({ ...theme, forged: 0, refusedKeys: 0, withoutCode: 0 });
    const { card } = step;
    if (!card) return [{ ...step, times: size }];
    const times = Math.max(1, Math.floor(size / 2));
    const looks = theme.actions
      .filter(([action]) => action !== 'heartbeat')
      .map(([action]) => action);
    const look = sisterOf(this.#random.pick(looks), 'validate');
    const taking = this.#mayConsume(sisterOf(step.action, 'consume'), step.key, card);
    const key = isDevice(look) ? 'hardware' : 'rest';
    const steps = [
      { ...step, action: taking, times },
      { action: look, key, card, times: Math.max(1, size - times) } as const,
    ];
    return this.#withHeartbeat(this.#random.chance(0.5) ? steps : steps.toReversed());
  }

  #withHeartbeat(steps: Step[]): Step[] {
    const { atOnceMax, heartbeats } = this.#means;
    const isRoom = requestsOf({ steps }) < atOnceMax;
    const isAdded = heartbeats && isRoom && this.#random.chance(BEATS_BESIDE);
    // first, so that the others come while it is answered
    return isAdded ? [{ ...HEARTBEAT }, ...steps] : steps;
  }

  /** The same for each ticket: this shows best whether answers are mixed up. */
  #oneOfEach(theme: Theme, size: number): Step[] {
    const step = this.#step(theme);
    const { card } = step;
    if (!card) return [{ ...step, times: size }];
    const times = Math.max(1, Math.floor(size / theme.cast.length));
    return theme.cast.slice(0, size).map((ticket) => {
      const own = { ...card, ticket };
      return { ...step, action: this.#mayConsume(step.action, step.key, own), card: own, times };
    });
  }

  #step(theme: Theme): Step {
    const wanted = this.#random.weighted(theme.actions);
    const key = this.#key(theme, wanted);
    const withCode = wanted !== 'heartbeat' && !this.#random.chance(theme.withoutCode);
    if (!withCode || theme.cast.length === 0) return { action: wanted, key, times: 1 };
    const ticket = this.#random.pick(theme.cast);
    const forged = this.#random.chance(theme.forged) ? this.#random.pick(FORGERIES) : undefined;
    const card: Card = forged === undefined ? { ticket } : { ticket, forged };
    return { action: this.#mayConsume(wanted, key, card), key, card, times: 1 };
  }

  /** The action, or its validating sister where the use must not be taken. */
  #mayConsume(action: Action, key: KeyPlace, card: Card): Action {
    if (!consumes(action)) return action;
    const { kind } = card.ticket;
    const isOthers = kind === 'otherEvent' && (key === 'rest' || key === 'hardware');
    const isAllowed = this.#means.consent || !needsConsent({ action, key, card, times: 1 });
    if (isAllowed && !isOthers && kind !== 'otherOrganisation') return action;
    return action === 'consume' ? 'validate' : 'device-validate';
  }

  #key(theme: Theme, action: Action): KeyPlace {
    const [plain, scoped] = isDevice(action)
      ? (['hardware', 'hardwareScoped'] as const)
      : (['rest', 'restScoped'] as const);
    if (this.#random.chance(theme.refusedKeys)) {
      const refused = isDevice(action) ? REFUSED_DEVICE : REFUSED_REST;
      return this.#random.pick(refused.filter((one) => this.#has(one)));
    }
    return this.#has(scoped) && this.#random.chance(theme.scoped) ? scoped : plain;
  }

  #has(key: KeyPlace): boolean {
    return key === 'missing' || key === 'unknown' || this.#means.keys[key] !== undefined;
  }
}

/** The endpoint of the same side that validates or consumes; a heartbeat's is the device's. */
function sisterOf(action: Action, what: 'validate' | 'consume'): Action {
  return isDevice(action) ? `device-${what}` : what;
}
