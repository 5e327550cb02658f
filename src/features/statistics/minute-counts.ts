import type { OutcomeCount } from '../../stores/log-search.ts';

/** Bounds the memory; a chart with more gates a minute cannot be read anyway. */
const GATES_PER_MINUTE_MAX = 500;

export interface Counts {
  readonly admitted: number;
  readonly denied: number;
}

export interface GateCounts extends Counts {
  readonly keyId: string;
  readonly serial: string | null;
}

interface Cell {
  admitted: number;
  denied: number;
}

interface Minute {
  readonly gates: Map<string, GateCounts>;
  readonly reasons: Map<string, number>;
  readonly all: Cell;
}

/** What came out of the scans of one organisation, minute by minute, for as long as is asked for. */
export class MinuteCounts {
  readonly #minutes = new Map<number, Minute>();

  add(one: OutcomeCount): void {
    const isAdmitted = one.status === 'consumed';
    const minute = this.#minute(one.minute);
    count(minute.all, isAdmitted, one.count);
    if (!isAdmitted) {
      const reason = one.reason ?? one.status;
      minute.reasons.set(reason, (minute.reasons.get(reason) ?? 0) + one.count);
    }
    addToGate(minute.gates, one, isAdmitted);
  }

  /** Forgets minutes before `oldest`. */
  prune(oldest: number): void {
    for (const minute of this.#minutes.keys()) {
      if (minute < oldest) this.#minutes.delete(minute);
    }
  }

  at(minute: number): Counts {
    return this.#minutes.get(minute)?.all ?? { admitted: 0, denied: 0 };
  }

  /** Summed over the minutes from `first` to `last`, the busiest first. A log may have minutes of the future: a clock was set back since. */
  byGate(first: number, last: number): GateCounts[] {
    const sums = new Map<string, GateCounts>();
    for (const [minute, { gates }] of this.#minutes) {
      if (minute < first || minute > last) continue;
      for (const [name, gate] of gates) sums.set(name, plus(sums.get(name), gate));
    }
    return [...sums.values()].sort((a, b) => b.admitted + b.denied - a.admitted - a.denied);
  }

  /** Summed over the minutes from `first` to `last`, the most frequent first. */
  byReason(first: number, last: number): { reason: string; count: number }[] {
    const sums = new Map<string, number>();
    for (const [minute, { reasons }] of this.#minutes) {
      if (minute < first || minute > last) continue;
      for (const [reason, number] of reasons) sums.set(reason, (sums.get(reason) ?? 0) + number);
    }
    return [...sums]
      .map(([reason, number]) => ({ reason, count: number }))
      .sort((a, b) => b.count - a.count);
  }

  #minute(number: number): Minute {
    const known = this.#minutes.get(number);
    if (known) return known;
    const made = { gates: new Map(), reasons: new Map(), all: { admitted: 0, denied: 0 } };
    this.#minutes.set(number, made);
    return made;
  }
}

function addToGate(gates: Map<string, GateCounts>, one: OutcomeCount, isAdmitted: boolean): void {
  const { keyId, serial } = one;
  const name = JSON.stringify([keyId, serial]);
  if (!gates.has(name) && gates.size >= GATES_PER_MINUTE_MAX) return;
  const cell = { admitted: 0, denied: 0 };
  count(cell, isAdmitted, one.count);
  gates.set(name, plus(gates.get(name), { keyId, serial, ...cell }));
}

function plus(sum: GateCounts | undefined, { keyId, serial, admitted, denied }: GateCounts) {
  return {
    keyId,
    serial,
    admitted: (sum?.admitted ?? 0) + admitted,
    denied: (sum?.denied ?? 0) + denied,
  };
}

function count(cell: Cell, isAdmitted: boolean, number: number): void {
  if (isAdmitted) cell.admitted += number;
  else cell.denied += number;
}
