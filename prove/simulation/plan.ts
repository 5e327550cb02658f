import fc from 'fast-check';

/** What happens in the town, step by step, and what the disk does meanwhile. Playing it twice gives the same record. */
export interface Plan {
  readonly steps: readonly Step[];
  /** The accesses of all processes, in their order; later ones are quick and succeed. */
  readonly disk: readonly Access[];
}

/** Begins `waitMs` after the step before it has begun: most are under way together. */
export type Step = { readonly waitMs: number } & (
  | Scan
  | Card
  | { readonly does: 'crash'; readonly process: number; readonly downMs: number }
  | { readonly does: 'cancel'; readonly site: number; readonly ticket: number }
  | { readonly does: 'enable' | 'disable'; readonly site: number; readonly key: number }
  /** The wall clock is set to so many seconds from the right time, which may be backwards. */
  | { readonly does: 'clock'; readonly seconds: number }
);

interface Scanned {
  readonly site: number;
  readonly key: number;
  readonly ticket: number;
  readonly trips: readonly Trip[];
}

/** A scan with a name is repeated, a trip each time, until there is an answer: all of them are one use. */
export interface Scan extends Scanned {
  readonly does: 'scan';
  readonly action: 'consume' | 'validate';
  readonly name: 'none' | 'Idempotency-Key' | 'serial';
}

/** The same card comes to a reader, once for each trip: each visit must be decided anew. */
export interface Card extends Scanned {
  readonly does: 'card';
  readonly hasSerial: boolean;
}

/** One request to one process, and what the network does with it and with its answer. */
export interface Trip {
  readonly process: number;
  readonly thereMs: number;
  readonly backMs: number;
  readonly loses: 'nothing' | 'request' | 'answer';
}

/** A commit or the look-up of a key. */
export interface Access {
  readonly beforeMs: number;
  readonly afterMs: number;
  readonly fails: 'never' | 'before' | 'after';
}

export const PROCESSES = 3;
const KEYS = 3;
/** The last key of a site is that of its devices. */
const HARDWARE = KEYS - 1;
/** The tickets of a site; the number after the last stands for a ticket of the other site. */
const TICKETS = 16;
const STEPS_MAX = 400;
const ACCESSES_MAX = 200;
const PLAIN = { noNullPrototype: true } as const;

/** Shrinks to `usual`, which is drawn all but once in `rarity` times for each of the others. */
function mostly<const Value>(rarity: number, usual: Value, ...others: Value[]) {
  return fc.constantFrom(...Array<Value>(rarity - others.length).fill(usual), ...others);
}

function list<Item>(item: fc.Arbitrary<Item>, minLength: number, maxLength: number) {
  return fc.array(item, { minLength, maxLength, size: 'max' });
}

const one = <const Value>(value: Value) => fc.constant(value);
const process = fc.nat(PROCESSES - 1);
const trip = (lossRarity: number) =>
  fc.record(
    {
      process,
      thereMs: fc.nat(15),
      backMs: fc.nat(15),
      loses: mostly(lossRarity, 'nothing', 'request', 'answer'),
    },
    PLAIN,
  );
const usual = trip(60);
/** What is repeated: an answer that was lost is what the repeat must get. */
const lossy = trip(12);

// The second site, whose limits are tight, has a quarter of the scans.
const site = mostly(4, 0, 1);
const key = fc.nat(KEYS - 1);
const ticket = fc.nat(TICKETS);
const waitMs = fc.oneof(
  { withCrossShrink: true },
  { weight: 39, arbitrary: fc.nat(1) },
  { weight: 1, arbitrary: fc.nat(200) },
);
const scan = { does: one('scan'), waitMs, site, key, ticket, action: one('consume') };
const byDevice = { ...scan, key: one(HARDWARE) };
const anonymous = {
  ...scan,
  action: mostly(5, 'consume', 'validate'),
  name: one('none'),
  trips: fc.tuple(usual),
};
const named = { ...scan, name: one('Idempotency-Key'), trips: list(lossy, 1, 3) };
// Two trips at most: a second repeat could come after the retry window, where it is another use.
const posted = { ...byDevice, name: one('serial'), trips: list(lossy, 1, 2) };
const card = { ...byDevice, does: one('card'), hasSerial: fc.boolean(), trips: list(usual, 1, 3) };
const crash = { does: one('crash'), waitMs, process, downMs: fc.nat(100) };
const cancel = { does: one('cancel'), waitMs, site, ticket: fc.nat(TICKETS - 1) };
const change = { does: fc.constantFrom('disable', 'enable'), waitMs, site, key };
const clock = { does: one('clock'), waitMs, seconds: fc.integer({ min: -3600, max: 3600 }) };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 112, arbitrary: fc.record(anonymous, PLAIN) },
  { weight: 48, arbitrary: fc.record(named, PLAIN) },
  { weight: 12, arbitrary: fc.record(posted, PLAIN) },
  { weight: 12, arbitrary: fc.record(card, PLAIN) },
  { weight: 1, arbitrary: fc.record(crash, PLAIN) },
  { weight: 1, arbitrary: fc.record(cancel, PLAIN) },
  { weight: 3, arbitrary: fc.record(change, PLAIN) },
  { weight: 3, arbitrary: fc.record(clock, PLAIN) },
);
const fails = mostly(100, 'never', 'before', 'after');
const access = fc.record({ beforeMs: fc.nat(12), afterMs: fc.nat(4), fails }, PLAIN);

/** Draws plans of some hundred scans each. */
export const LARGE_PLANS: fc.Arbitrary<Plan> = fc.record(
  { steps: list(step, 0, STEPS_MAX), disk: list(access, 0, ACCESSES_MAX) },
  PLAIN,
);
