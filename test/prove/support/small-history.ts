import type { LogFact, StoreFacts } from '../../../prove/history/facts.ts';
import type { History, Operation } from '../../../prove/history/record.ts';
import { NEW_STORE, type Scan, type Store, scan, type Terms } from '../../../prove/model/store.ts';
import type { Random } from '../../../prove/world/random.ts';

/** A few requests about one ticket with one key, and what the store has at the end. */
export interface SmallHistory {
  readonly history: History;
  readonly facts: StoreFacts;
}

const SMALL_TERMS: Terms = {
  usesAllowed: 2,
  validFrom: -Infinity,
  validUntil: Infinity,
  keptFor: () => Infinity,
};
const KEY = 'key';
const TICKET = 'ticket';

/** What its requests are about. */
export type Subject = 'ticket' | 'key' | 'both';

/** What happened in order, at whole moments; each request may begin before and be answered after. A quarter has no answer. */
export function randomHistory(random: Random, subject: Subject): SmallHistory {
  const size = random.between(2, 6);
  const operations: Operation[] = [];
  const log: LogFact[] = [];
  let store: Store = NEW_STORE;
  for (let id = 1; id <= size; id += 1) {
    const asked = randomRequest(random, id, store.cancelled, subject);
    const isAnswered = random.chance(0.75);
    const happened = isAnswered || random.chance(0.5);
    const [after, told] = carriedOut(store, asked);
    if (happened && after.log.length > store.log.length)
      log.push(rowOf(log.length + 1, id * MOMENT, after.used));
    if (happened) store = after;
    const end = id * MOMENT + random.between(0, 25);
    operations.push({ ...asked, ...(isAnswered ? { ...told, end } : NO_ANSWER) });
  }
  return { history: historyOf(operations), facts: factsOf(store, log) };
}

const MOMENT = 10;
type Asked = Omit<Operation, 'end' | 'outcome'>;

function randomRequest(random: Random, id: number, isCancelled: boolean, subject: Subject): Asked {
  const start = id * MOMENT - random.between(0, 25);
  if (subject !== 'ticket' && random.chance(0.5))
    return { id, start, key: KEY, action: random.pick(['disable', 'enable']) };
  const asked = { id, start, key: KEY, ticket: TICKET };
  if (subject !== 'key' && random.chance(0.12) && !isCancelled)
    return { id, start, ticket: TICKET, action: 'cancel' };
  if (subject === 'key' || random.chance(0.25)) return { ...asked, action: 'validate' };
  return {
    ...asked,
    action: 'consume',
    ...(random.chance(0.4) && { retry: random.pick(['a', 'b']) }),
  };
}

/** What the model does with a request, and what its client is told. */
function carriedOut(store: Store, { action, retry }: Asked): [Store, Pick<Operation, 'outcome'>] {
  if (action === 'cancel') return [{ ...store, cancelled: true }, { outcome: 'ok' }];
  if (action === 'disable' || action === 'enable')
    return [{ ...store, key: { ...store.key, active: action === 'enable' } }, { outcome: 'ok' }];
  const operation = action === 'validate' ? 'validate' : 'consume';
  const asked: Scan = { operation, value: 0, name: retry ?? '', device: false, code: 0 };
  const [after, { status, used }] = scan(store, asked, 0, SMALL_TERMS);
  const outcome = status === 'consumed' || status === 'validated' ? 'ok' : 'fail';
  const told = {
    outcome,
    status,
    ...(status !== 'key_refused' && { usesConsumed: used }),
  } as const;
  return [after, told];
}

const NO_ANSWER = { end: Infinity, outcome: 'unknown' } as const;

function historyOf(operations: readonly Operation[]): History {
  return {
    startSequence: 0,
    requestsBefore: new Map(),
    keysBefore: new Map(),
    limits: [],
    clock: [],
    operations,
  };
}

function rowOf(sequence: number, at: number, usesConsumed: number): LogFact {
  const told = { action: 'consume', status: 'consumed', replayed: false } as const;
  return { ...told, sequence, at, key: KEY, ticket: TICKET, usesConsumed };
}

function factsOf({ used, cancelled, key }: Store, log: readonly LogFact[]): StoreFacts {
  const window = { validFrom: null, validUntil: null };
  const ticket = {
    usesAllowed: SMALL_TERMS.usesAllowed,
    usesConsumed: used,
    usesBrought: 0,
    ...window,
    cancelled,
  };
  return {
    tickets: new Map([[TICKET, ticket]]),
    log,
    requests: [],
    damage: [],
    keys: new Map([[KEY, key.active ? 'active' : 'disabled']]),
  };
}

/** The same with one thing changed that a faulty service might do; often it is right still. */
export function corrupted({ history, facts }: SmallHistory, random: Random): SmallHistory {
  const operations = history.operations.map((one) => ({ ...one }));
  const [log, keys] = [[...facts.log], new Map(facts.keys)];
  const kind = random.between(0, 4);
  if (kind === 0) corruptAnswer(random.pick(operations), random);
  else if (kind === 1) comeLate(random.pick(operations));
  else if (kind === 2 && log.length > 0) log.splice(random.between(0, log.length - 1), 1);
  else if (kind === 3) keys.set(KEY, random.pick(['active', 'disabled']));
  else for (const one of operations) if (random.chance(0.3)) corruptAnswer(one, random);
  return { history: historyOf(operations), facts: { ...facts, log, keys } };
}

function comeLate(one: { start: number; end: number; readonly outcome: string }): void {
  if (one.outcome !== 'unknown') [one.start, one.end] = [one.end + 30, one.end + 35];
}

/** A scan gets another answer. */
function corruptAnswer(one: Operation, random: Random): void {
  if (one.outcome === 'unknown' || !(one.action === 'consume' || one.action === 'validate')) return;
  const granted = one.action === 'consume' ? 'consumed' : 'validated';
  const told = random.pick([granted, 'exhausted', 'ticket_cancelled', 'key_refused']);
  const outcome = told === granted ? 'ok' : 'fail';
  const usesConsumed = told === 'key_refused' ? undefined : random.between(0, 2);
  Object.assign(one, { outcome, status: told, usesConsumed });
}

/**
 * Wing and Gong: tries every order of the requests that real time allows, those without an answer done or not, and asks the
 * model each time. Slow, and short enough to be right.
 */
export function hasAnOrder({ history, facts }: SmallHistory): boolean {
  const ticket = facts.tickets.get(TICKET);
  const isEnd = ({ used, cancelled, key }: Store) =>
    used === ticket?.usesConsumed &&
    cancelled === ticket.cancelled &&
    key.active === (facts.keys.get(KEY) === 'active');
  const search = (store: Store, taken: number, left: readonly Operation[]): boolean => {
    const answered = left.filter(({ outcome }) => outcome !== 'unknown');
    if (answered.length === 0 && taken === facts.log.length && isEnd(store)) return true;
    const firstEnd = Math.min(Infinity, ...answered.map(({ end }) => end));
    return left.some((one) => {
      const [after, told] = carriedOut(store, one);
      const isUse = after.log.length > store.log.length;
      const fits =
        one.start <= firstEnd &&
        (one.outcome === 'unknown' || isSame(one, told)) &&
        (!isUse || facts.log[taken]?.usesConsumed === after.used);
      const rest = left.filter((other) => other !== one);
      return fits && search(after, isUse ? taken + 1 : taken, rest);
    });
  };
  return search(NEW_STORE, 0, history.operations);
}

function isSame(heard: Operation, told: Partial<Operation>): boolean {
  return (['outcome', 'status', 'usesConsumed'] as const).every(
    (name) => heard[name] === told[name],
  );
}
