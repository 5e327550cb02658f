import { faultOfDecision } from './decision-promises.ts';
import {
  type Answer,
  NEW_STORE,
  rotate,
  type Scan,
  type Store,
  scan,
  type Terms,
  undo,
  usesIn,
} from './store.ts';

/** Two nodes on one store, with requests on the way, a transaction under way and a clock that steps. */
export interface System {
  readonly store: Store;
  /** What a standby has that does not keep up; absent where it always has what the store has. */
  readonly standby?: Store;
  readonly now: number;
  readonly requests: readonly Request[];
  /** The transaction whose outcome nobody knows yet: nothing else is decided meanwhile. */
  readonly open?: Store;
  /** What each node remembers between two requests; 0 for nothing, as a right one. */
  readonly memories: readonly number[];
  readonly confirmed: Confirmed;
  readonly left: Budget;
  /** A step that broke a promise. */
  readonly broken?: string;
}

/** What administrators were told, whatever the store says afterwards. */
export interface Confirmed {
  /** Values of the key that come before this one have ended for good. */
  readonly value: number;
  readonly disabled: boolean;
  readonly cancelled: boolean;
  readonly gone: boolean;
}

export interface Request {
  readonly phase: 'unsent' | 'sent' | 'open' | 'decided' | 'told' | 'over';
  readonly scan: number;
  readonly node: number;
  /** What was confirmed before it was sent, so that it must not be admitted. */
  readonly barred: '' | 'key' | 'cancelled' | 'gone';
  /** What its node read when it came; 0 for nothing, as in a right one. */
  readonly read: number;
  /** What its transaction decided, and what the client heard. */
  readonly answer?: Answer;
  readonly told?: Answer;
}

/** How often each step may still happen. */
export interface Budget {
  readonly clock: number;
  readonly kill: number;
  readonly promotion: number;
  readonly change: number;
}

/** What is searched. */
export interface Bound extends Terms {
  readonly scans: readonly Scan[];
  readonly requests: number;
  readonly lastTick: number;
  readonly left: Budget;
}

/** What a service does. A faulty one differs in one member. */
export interface Rules {
  /** The transaction of a scan. @returns the store after it, the answer, what the node remembers from then on */
  readonly decide: (asked: Asked) => readonly [Store, Answer, number?];
  /** A node keeps something between two requests. */
  readonly remembers: boolean;
  /** What a node reads before the transaction. */
  readonly read: (store: Store) => number;
  readonly undo: (store: Store, entry: number) => Store;
  readonly rotate: typeof rotate;
  readonly remove: (store: Store) => Store;
  /** What a client is told while nobody knows how the transaction ended; undefined for a 500. */
  readonly tellOpen: (store: Store, after: Store, answer: Answer) => Answer | undefined;
  readonly standby: 'synchronous' | 'late';
  readonly mixesAnswers: boolean;
}

export interface Asked {
  readonly store: Store;
  readonly scan: Scan;
  readonly now: number;
  readonly terms: Terms;
  readonly memory: number;
  readonly read: number;
}

export const RIGHT: Rules = {
  decide: ({ store, scan: asked, now, terms }) => scan(store, asked, now, terms),
  remembers: false,
  read: () => 0,
  undo,
  rotate,
  remove: (store) => ({ ...store, gone: true, answers: [] }),
  tellOpen: () => undefined,
  standby: 'synchronous',
  mixesAnswers: false,
};

const UNSENT: Request = { phase: 'unsent', scan: 0, node: 0, barred: '', read: 0 };
/** Nobody hears of it any more, and nothing depends on what it asked. */
const OVER: Request = { ...UNSENT, phase: 'over' };

export function startOf(bound: Bound): System {
  return {
    store: NEW_STORE,
    now: bound.validFrom,
    requests: Array.from({ length: bound.requests }, () => UNSENT),
    memories: [0, 0],
    confirmed: { value: 0, disabled: false, cancelled: false, gone: false },
    left: bound.left,
  };
}

/** Every state that one step leads to: of a request, a node, the store, an administrator or the clock. */
export function* nextStates(from: System, bound: Bound, rules: Rules): Generator<System> {
  yield* sends(from, bound, rules);
  for (const [index, { phase }] of from.requests.entries()) {
    if (phase === 'sent' && !from.open) yield decided(from, index, bound, rules);
    if (phase === 'sent' || phase === 'decided') yield withRequest(from, index, OVER);
    if (phase === 'decided') yield* heard(from, index, rules);
  }
  if (from.open) yield* ends(from, from.open, rules);
  else yield* changes(from, rules);
  yield* failures(from, rules);
  yield* clockSteps(from, bound);
}

function* clockSteps(from: System, { lastTick }: Bound): Generator<System> {
  const left = spent(from.left, 'clock');
  if (left.clock < 0) return;
  for (let now = 0; now <= lastTick; now += 1) if (now !== from.now) yield { ...from, now, left };
}

function* sends(from: System, bound: Bound, rules: Rules): Generator<System> {
  const index = from.requests.findIndex(({ phase }) => phase === 'unsent');
  if (index < 0) return;
  // Nodes are alike until something was sent to one of them, and for ever where they remember nothing.
  const isFirst = from.requests.every(({ phase }) => phase === 'unsent');
  for (const [number, asked] of bound.scans.entries()) {
    if (asked.value > from.store.key.value) continue;
    for (const node of isFirst || !rules.remembers ? [0] : [0, 1]) {
      const barred = barredBy(from.confirmed, asked);
      const read = rules.read(from.store);
      yield withRequest(from, index, { phase: 'sent', scan: number, node, barred, read });
    }
  }
}

function barredBy(confirmed: Confirmed, { value }: Scan): Request['barred'] {
  if (confirmed.disabled || value < confirmed.value) return 'key';
  if (confirmed.gone) return 'gone';
  return confirmed.cancelled ? 'cancelled' : '';
}

function decided(from: System, index: number, bound: Bound, rules: Rules): System {
  const request = from.requests[index] ?? UNSENT;
  const asked = bound.scans[request.scan];
  if (!asked) throw new Error(`no scan ${request.scan}`);
  const { store, now, memories } = from;
  const memory = memories[request.node] ?? 0;
  const [open, answer, remembered = memory] = rules.decide({
    ...{ store, scan: asked, now, terms: bound, memory, read: request.read },
  });
  const broken = faultOfDecision(store, open, answer, asked, now, bound);
  return {
    ...withRequest(from, index, { ...request, phase: 'open', answer }),
    open,
    memories: memories.map((before, node) => (node === request.node ? remembered : before)),
    ...(broken !== undefined && { broken }),
  };
}

function* heard(from: System, index: number, rules: Rules): Generator<System> {
  const request = from.requests[index] ?? UNSENT;
  for (const other of rules.mixesAnswers ? from.requests : [request]) {
    if (other.phase !== 'decided' || !other.answer) continue;
    yield withRequest(from, index, { ...request, phase: 'told', told: other.answer });
  }
}

/** The transaction is stored or not; its client may be told before anybody knows. */
function* ends(from: System, open: Store, rules: Rules): Generator<System> {
  const { open: _, ...rest } = from;
  const index = from.requests.findIndex(({ phase }) => phase === 'open');
  const request = from.requests[index];
  const stored = { ...rest, store: open, ...standbyOf(from, rules) };
  if (!request) {
    yield stored;
    yield rest;
    return;
  }
  yield withRequest(stored, index, { ...request, phase: 'decided' });
  yield withRequest(rest, index, OVER);
  const early = request.answer && rules.tellOpen(from.store, open, request.answer);
  if (!early) yield withRequest(from, index, OVER);
  else
    for (const after of [stored, rest])
      yield withRequest(after, index, { ...request, phase: 'told', told: early });
}

/** What an administrator confirms. Its answer comes with the change: a later one would promise less. */
function* changes(from: System, rules: Rules): Generator<System> {
  const { store, now, left } = from;
  if (left.change === 0) return;
  const { key } = store;
  const change = (after: Store, told: Partial<Confirmed> = {}): System => ({
    ...{ ...from, store: after, ...standbyOf(from, rules) },
    confirmed: { ...from.confirmed, ...told },
    left: spent(left, 'change'),
  });
  for (const entry of usesIn(store)) yield change(rules.undo(store, entry));
  if (!store.cancelled) yield change({ ...store, cancelled: true }, { cancelled: true });
  if (!store.gone) yield change(rules.remove(store), { gone: true });
  if (!key.active) return;
  yield change({ ...store, key: { ...key, active: false } }, { disabled: true });
  // A second rotation ends the value before the last one; one without an overlap the last one too.
  yield change(rules.rotate(store, now, 1), { value: key.value });
  yield change(rules.rotate(store, now, 0), { value: key.value + 1 });
}

/**
 * A node is killed, with what it remembers and every request at it; a standby is promoted. Where nodes remember nothing and a standby
 * is never late, requests that are lost one by one and transactions that end either way lead to the same states.
 */
function* failures(from: System, rules: Rules): Generator<System> {
  const { left, requests, memories, store, standby } = from;
  const isAt = (node: number, one: Request) => one.node === node && IN_A_NODE.has(one.phase);
  for (const node of left.kill > 0 ? [0, 1] : []) {
    if (memories[node] === 0) continue;
    const kept = requests.map((one) => (isAt(node, one) ? OVER : one));
    const forgotten = memories.map((memory, index) => (index === node ? 0 : memory));
    yield { ...from, requests: kept, memories: forgotten, left: spent(left, 'kill') };
  }
  if (left.promotion === 0 || rules.standby === 'synchronous') return;
  const { open: _, ...rest } = from;
  const cut = requests.map((one) => (one.phase === 'open' ? OVER : one));
  yield { ...rest, requests: cut, left: spent(left, 'promotion'), store: standby ?? store };
}

const IN_A_NODE: ReadonlySet<Request['phase']> = new Set(['sent', 'open', 'decided']);

/** Where a standby is late, it has what was there one change ago. */
function standbyOf({ store }: System, { standby }: Rules): { standby?: Store } {
  return standby === 'late' ? { standby: store } : {};
}

function spent(left: Budget, what: keyof Budget): Budget {
  return { ...left, [what]: left[what] - 1 };
}

function withRequest(from: System, index: number, request: Request): System {
  return { ...from, requests: from.requests.map((one, at) => (at === index ? request : one)) };
}
