import { isUse, type StoreFacts } from './facts.ts';
import type { Check, Problem } from './problem.ts';
import type { History, KeyState, Operation } from './record.ts';
import { usesAmong } from './ticket-path.ts';

const STATE_AFTER: Readonly<Record<string, KeyState>> = {
  disable: 'disabled',
  enable: 'active',
  delete: 'deleted',
};

/**
 * Every key has a path too: its changes each at a moment of their own, each scan accepted at a moment when the key was active and
 * refused at one when it was not, and at last the state that the store has. Every order that real time allows is tried.
 */
export const keysHaveAPath: Check = (history, facts) => {
  const byKey = Map.groupBy(history.operations, ({ key }) => key ?? '');
  byKey.delete('');
  const { keysBefore } = history;
  const names = new Set([...byKey.keys(), ...(keysBefore ? facts.keys.keys() : [])]);
  return [...names].flatMap((key) => {
    const operations = byKey.get(key) ?? [];
    const changes = operations.filter(({ action }) => action in STATE_AFTER);
    const scans = [...operations.filter(isAnsweredScan), ...unansweredUses(key, history, facts)];
    const path = new KeyPath(keysBefore?.get(key) ?? 'active');
    const problem = path.problem(eventsOf(changes, scans), facts.keys.get(key) ?? 'deleted');
    return problem ? [{ ...problem, text: `${key}: ${problem.text}` }] : [];
  });
};

function isAnsweredScan({ action, outcome }: Operation): boolean {
  return outcome !== 'unknown' && (action === 'consume' || action === 'validate');
}

/** Uses in the log that no client was told of: the key was accepted, at the earliest for the requests that began first. */
function unansweredUses(key: string, history: History, { log }: StoreFacts): Operation[] {
  const rows = log.filter((row) => row.key === key && row.sequence > history.startSequence);
  const rowsOf = Map.groupBy(rows.filter(isUse), ({ ticket }) => ticket);
  const asked = history.operations.filter((one) => one.key === key);
  return [...rowsOf].flatMap(([ticket, taken]) => {
    const uses = usesAmong(asked.filter((one) => one.ticket === ticket));
    const told = uses.filter(({ granted }) => granted.length > 0).length;
    const others = uses
      .filter(({ granted, start }) => granted.length === 0 && start < Infinity)
      .sort((a, b) => a.start - b.start)
      .slice(0, Math.max(0, taken.length - told));
    return others.flatMap(({ tries: [first], start }) =>
      first ? [{ ...first, start, end: Infinity, status: 'consumed' }] : [],
    );
  });
}

/** A request begins, or its answer comes. */
interface KeyEvent {
  readonly at: number;
  readonly isEnd: boolean;
  readonly operation: Operation;
}

/** The events in the order of time; what begins when something else ends may come before it. */
function eventsOf(changes: readonly Operation[], scans: readonly Operation[]): KeyEvent[] {
  const events: KeyEvent[] = [];
  for (const operation of [...changes, ...scans]) {
    events.push({ at: operation.start, isEnd: false, operation });
    // A change that nobody confirmed may happen at any time after it was asked for, or never.
    const isOpen = operation.action in STATE_AFTER && operation.outcome === 'unknown';
    if (!isOpen && operation.end < Infinity)
      events.push({ at: operation.end, isEnd: true, operation });
  }
  return events.sort((a, b) => a.at - b.at || Number(a.isEnd) - Number(b.isEnd));
}

/** What may be so at a moment. */
interface Possible {
  readonly state: KeyState;
  /** Changes that were asked for and have not happened: those that were confirmed by their id, the others by what they do. */
  readonly open: readonly (number | string)[];
  /** Scans that the key has not had the state for since they were asked for. */
  readonly waiting: readonly Operation[];
}

class KeyPath {
  readonly #changes = new Map<number | string, KeyState>();
  #possible: readonly Possible[];

  constructor(before: KeyState) {
    this.#possible = [{ state: before, open: [], waiting: [] }];
  }

  problem(events: readonly KeyEvent[], stored: KeyState): Problem | undefined {
    for (const { isEnd, operation } of events) {
      if (!isEnd) this.#begin(operation);
      else if (!this.#end(operation)) return this.#refusal(operation);
    }
    if (this.#possible.some(({ state, waiting }) => state === stored && waiting.length === 0))
      return undefined;
    const waits = this.#possible.every(({ waiting }) => waiting.length > 0);
    const [one] = this.#possible[0]?.waiting ?? [];
    if (waits && one) return this.#refusal(one);
    const text = `its changes leave it ${this.#states()}, the store says ${stored}`;
    return { rule: 'acknowledged-is-stored', text };
  }

  #begin(operation: Operation): void {
    const after = STATE_AFTER[operation.action];
    if (after === undefined) {
      this.#possible = this.#possible.map((one) =>
        fits(operation, one.state) ? one : { ...one, waiting: [...one.waiting, operation] },
      );
    } else {
      const name = operation.outcome === 'unknown' ? operation.action : operation.id;
      this.#changes.set(name, after);
      this.#possible = this.#possible.map((one) => ({ ...one, open: [...one.open, name] }));
    }
    this.#possible = this.#withChanges();
  }

  /** False when it cannot have happened within its time. */
  #end(operation: Operation): boolean {
    const left = this.#possible.filter(
      ({ open, waiting }) => !open.includes(operation.id) && !waiting.includes(operation),
    );
    if (left.length > 0) this.#possible = left;
    return left.length > 0;
  }

  /** Each of the open changes may happen now, or later. */
  #withChanges(): Possible[] {
    const all: Possible[] = [];
    const add = (one: Possible) => {
      if (all.some((other) => includes(other, one))) return;
      all.push(one);
      for (const name of new Set(one.open)) {
        const changed = this.#changes.get(name) ?? one.state;
        // Nothing brings a deleted key back.
        const state = one.state === 'deleted' ? 'deleted' : changed;
        const at = one.open.indexOf(name);
        const waiting = one.waiting.filter((scan) => !fits(scan, state));
        add({ state, open: one.open.toSpliced(at, 1), waiting });
      }
    };
    for (const one of this.#possible) add(one);
    return all;
  }

  #states(): string {
    return [...new Set(this.#possible.map(({ state }) => state))].join(' or ');
  }

  #refusal(operation: Operation): Problem {
    const { id, start, end } = operation;
    const isRefused = operation.status === 'key_refused';
    const wasChanged = [...this.#changes.values()].some((state) => state !== 'active');
    return {
      rule: isRefused && !wasChanged ? 'refused-with-cause' : 'revoked-is-refused',
      text: `request ${id} was ${isRefused ? 'refused' : 'accepted'}, asked for at ${start}, answered at ${end}, and the key is ${this.#states()}`,
    };
  }
}

function fits({ status }: Operation, state: KeyState): boolean {
  return (state === 'active') === (status !== 'key_refused');
}

/** Whatever follows from `one` follows from `other` as well. */
function includes(other: Possible, one: Possible): boolean {
  if (other.state !== one.state) return false;
  const rest = [...other.open];
  const isOpen = one.open.every((name) => {
    const at = rest.indexOf(name);
    if (at >= 0) rest.splice(at, 1);
    return at >= 0;
  });
  // A confirmed change has to happen: one that is open still is no advantage.
  const owesNothing = rest.every((name) => typeof name === 'string');
  return isOpen && owesNothing && other.waiting.every((scan) => one.waiting.includes(scan));
}
