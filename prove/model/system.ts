import {
  type Decision,
  faultOfDecision,
  faultOfUndo,
  type Told,
  toldAfter,
} from './decision-promises.ts';
import type { Rules } from './rules.ts';
import {
  type Answer,
  type Key,
  NEW_STORE,
  rotate,
  type Scan,
  type Store,
  type Terms,
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
  readonly open?: { readonly store: Store; readonly told: Told };
  /** What each node remembers between two requests; 0 for nothing, as a right one. */
  readonly memories: readonly number[];
  readonly told: Told;
  readonly left: Budget;
  /** A step that broke a promise. */
  readonly broken?: string;
}

export interface Request {
  readonly phase: 'unsent' | 'sent' | 'open' | 'decided' | 'told' | 'over';
  readonly scan: number;
  readonly node: number;
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

const UNSENT: Request = { phase: 'unsent', scan: 0, node: 0, read: 0 };
/** Nobody hears of it any more, and nothing depends on what it asked. */
const OVER: Request = { ...UNSENT, phase: 'over' };

export function startOf({ validFrom, requests, left }: Bound): System {
  return {
    store: NEW_STORE,
    now: validFrom,
    requests: Array.from({ length: requests }, () => UNSENT),
    memories: [0, 0],
    told: { key: NEW_STORE.key, cancelled: false, gone: false, named: [] },
    left,
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
  else if (from.left.change > 0) yield* changes(from, rules);
  yield* failures(from, rules);
  if (from.left.clock > 0) yield* clockSteps(from, bound);
}

function* clockSteps(from: System, { lastTick }: Bound): Generator<System> {
  const left = spent(from.left, 'clock');
  for (let now = 0; now <= lastTick; now += 1) if (now !== from.now) yield { ...from, now, left };
}

function* sends(from: System, bound: Bound, rules: Rules): Generator<System> {
  const index = from.requests.findIndex(({ phase }) => phase === 'unsent');
  if (index < 0) return;
  // Nodes are alike until something was sent to one of them, and for ever where they remember nothing.
  const isFirst = from.requests.every(({ phase }) => phase === 'unsent');
  const read = rules.read(from.store);
  for (const [number, asked] of bound.scans.entries()) {
    if (asked.value > from.store.key.value) continue;
    for (const node of isFirst || !rules.remembers ? [0] : [0, 1])
      yield withRequest(from, index, { phase: 'sent', scan: number, node, read });
  }
}

function decided(from: System, index: number, bound: Bound, rules: Rules): System {
  const request = from.requests[index] ?? UNSENT;
  const asked = bound.scans[request.scan];
  if (!asked) throw new Error(`no scan ${request.scan}`);
  const { store: before, now, memories, told } = from;
  const memory = memories[request.node] ?? 0;
  const [after, answer, remembered = memory] = rules.decide({
    store: before,
    scan: asked,
    now,
    terms: bound,
    memory,
    read: request.read,
  });
  const decision: Decision = { before, after, asked, answer, now };
  const isSecond = (request.answer?.entry ?? -1) >= 0 && after.log.length > before.log.length;
  const broken = isSecond ? 'a request took two uses' : faultOfDecision(decision, told, bound);
  return {
    ...withRequest(from, index, { ...request, phase: 'open', answer }),
    open: { store: after, told: toldAfter(told, decision, bound) },
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
function* ends(from: System, open: Pick<System, 'store' | 'told'>, rules: Rules) {
  const { open: _, ...rest } = from;
  const index = from.requests.findIndex(({ phase }) => phase === 'open');
  const request = from.requests[index] ?? OVER;
  const stored = { ...rest, ...open, ...standbyOf(from, rules) };
  if (request === OVER) {
    yield stored;
    yield rest;
    return;
  }
  yield withRequest(stored, index, { ...request, phase: 'decided' });
  if (rules.decidesAgain) yield withRequest(stored, index, { ...request, phase: 'sent' });
  yield withRequest(rest, index, OVER);
  const early = request.answer && rules.tellOpen(request.answer);
  if (!early) yield withRequest(from, index, OVER);
  else
    for (const after of [stored, rest])
      yield {
        ...withRequest(after, index, { ...request, phase: 'told', told: early }),
        broken: 'a client was told what nobody knew',
      };
}

/** What an administrator confirms. Its answer comes with the change: a later one would promise less. */
function* changes(from: System, rules: Rules): Generator<System> {
  const { store, now, told } = from;
  const change = (after: Partial<Store>, nowTold: Partial<Told>): System => ({
    ...from,
    store: { ...store, ...after },
    ...standbyOf(from, rules),
    told: { ...told, ...nowTold },
    left: spent(from.left, 'change'),
  });
  const changeKey = (after: Partial<Key>) =>
    change({ key: { ...store.key, ...after } }, { key: { ...told.key, ...after } });
  for (const entry of usesIn(store)) {
    const named = told.named.filter(({ answer }) => answer.entry !== entry);
    const after = rules.undo(store, entry);
    const broken = faultOfUndo(store, after, entry);
    yield { ...change(after, { named }), ...(broken !== undefined && { broken }) };
  }
  if (!told.cancelled) yield change({ cancelled: true }, { cancelled: true });
  if (!told.gone) yield change(rules.remove(store), { gone: true, named: [] });
  if (told.key.active) yield changeKey({ active: false });
  if (told.key.inScope) yield changeKey({ inScope: false });
  if (told.key.previousUntil > now) yield changeKey({ previousUntil: 0 });
  for (const overlap of [0, 1])
    yield change(
      { key: rules.rotate(store.key, now, overlap) },
      { key: rotate(told.key, now, overlap) },
    );
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
