import { denialOf, NEW_STORE, type Status, type Store, scan, type Terms } from '../model/store.ts';
import { timesWithin } from './clock.ts';
import { isUse, type LogFact, type TicketFact } from './facts.ts';
import type { Check, Problem, Rule } from './problem.ts';
import type { History, Operation } from './record.ts';
import { type Change, contradiction, type Sight } from './timeline.ts';

/**
 * Every ticket has a path in the model that explains what clients were told: the uses of the log in their order, and a cancel
 * behind them, each asked for by one request; and every other answer is the model's at one of the states between.
 */
export const ticketsHaveAPath: Check = (history, facts) => {
  const scans = Map.groupBy(history.operations.filter(isOfTicket), ({ ticket }) => ticket ?? '');
  const log = Map.groupBy(facts.log.filter(isUse), ({ ticket }) => ticket);
  const names = new Set([...scans.keys(), ...log.keys()]);
  return [...names].flatMap((name) => {
    const fact = facts.tickets.get(name);
    const path = new TicketPath(fact, log.get(name) ?? [], history);
    const problems = path.explain(scans.get(name) ?? []);
    return problems.map(({ rule, text }) => ({ rule, text: `${name}: ${text}` }));
  });
};

function isOfTicket({ action, ticket, status }: Operation): boolean {
  const isScan = action === 'consume' || action === 'validate' || action === 'cancel';
  // Refused before the ticket was looked at.
  return (
    isScan &&
    ticket !== undefined &&
    !['key_refused', 'limited', 'retry_conflict'].includes(status ?? '')
  );
}

/** Requests that are one use: one on its own, or all that carry the same name. */
export interface Use {
  readonly tries: readonly Operation[];
  readonly granted: readonly Operation[];
  /** When it was first asked for by a request that may have taken it; Infinity when none may: a repeat of a denial gets it again. */
  readonly start: number;
}

class TicketPath {
  readonly #fact: TicketFact | undefined;
  readonly #terms: Terms;
  readonly #before: number;
  readonly #clock: History['clock'];
  readonly #rows: readonly LogFact[];
  readonly #explained = new Map<LogFact, Change>();
  /** Numbers of uses that clients were told of. */
  readonly #told = new Set<number>();
  readonly #problems: Problem[] = [];
  readonly #fitting = new Map<string, readonly [number, number] | undefined>();
  #states: readonly Store[] = [];

  constructor(
    fact: TicketFact | undefined,
    log: readonly LogFact[],
    { startSequence, clock }: History,
  ) {
    this.#fact = fact;
    this.#clock = clock;
    this.#terms = termsOf(fact);
    this.#rows = log.filter(({ sequence }) => sequence > startSequence);
    const earlier = log.filter(({ sequence }) => sequence <= startSequence);
    this.#before = earlier.at(-1)?.usesConsumed ?? fact?.usesBrought ?? 0;
  }

  explain(operations: readonly Operation[]): Problem[] {
    const uses = usesAmong(operations);
    for (const use of uses) this.#claim(use);
    this.#explainRest(
      uses.filter(({ granted, start }) => granted.length === 0 && start < Infinity),
    );
    const cancel = this.#cancelAmong(operations);
    this.#states = this.#statesBefore(cancel);
    const changes = this.#rows.map((row) => this.#explained.get(row) ?? anyTime(row));
    const sights = operations.flatMap((one) => this.#sightOf(one, uses));
    const text = contradiction(cancel ? [...changes, cancel] : changes, sights);
    if (text !== undefined)
      this.#complain(
        cancel && text.includes('cancel') ? 'revoked-is-refused' : 'real-time-order',
        text,
      );
    return this.#problems;
  }

  #complain(rule: Rule, text: string): void {
    this.#problems.push({ rule, text });
  }

  /** Finds the log entry of a use that clients were told of. */
  #claim({ tries, granted, start }: Use): void {
    const [first] = granted;
    if (!first) {
      this.#claimDenial(tries.filter(isDenial));
      return;
    }
    const counts = [...new Set(granted.map(({ usesConsumed }) => usesConsumed))];
    if (counts.length > 1)
      this.#complain(
        'distinct-counts',
        `one retried request was answered with ${counts.join(' and ')}`,
      );
    const allowed = this.#fact?.usesAllowed ?? 0;
    const [count = Number.NaN] = counts;
    if (!(count >= 1 && count <= allowed))
      this.#complain('distinct-counts', `use ${count} of ${allowed} was acknowledged`);
    const denied = tries.find(isDenial);
    if (denied)
      this.#complain(
        'distinct-counts',
        `use ${counts[0]} was acknowledged, and refused to its repeat ${denied.id}`,
      );
    const other = granted.find(
      ({ usesAllowed }) => usesAllowed !== undefined && usesAllowed !== allowed,
    );
    if (other)
      this.#complain(
        'distinct-counts',
        `answer ${other.id} allows ${other.usesAllowed} uses, the store ${allowed}`,
      );
    if (this.#told.has(count))
      this.#complain('distinct-counts', `use ${count} was acknowledged to two requests`);
    this.#told.add(count);
    const rows = this.#rows.filter(({ usesConsumed }) => usesConsumed === count);
    const row = rows.find((one) => !this.#explained.has(one)) ?? rows[0];
    const fault = faultOfRow(row, rows, first, granted);
    if (fault !== undefined) this.#complain('acknowledged-is-stored', `use ${count}: ${fault}`);
    if (!row) return;
    const end = Math.min(...granted.map((one) => one.end));
    this.#explained.set(row, { start, end, text: `use ${count} (request ${tries[0]?.id})` });
  }

  #claimDenial(denials: readonly Operation[]): void {
    const told = new Set(denials.map((one) => `${refusalOrLook(one)} at use ${one.usesConsumed}`));
    if (told.size > 1)
      this.#complain(
        'distinct-counts',
        `one retried request was answered ${[...told].join(' and ')}`,
      );
  }

  /** Uses that nobody was told of need requests without an answer: the earliest for the earliest. */
  #explainRest(unanswered: readonly Use[]): void {
    const byKey = Map.groupBy(unanswered, ({ tries }) => tries[0]?.key ?? '');
    for (const uses of byKey.values()) uses.sort((a, b) => a.start - b.start);
    for (const row of this.#rows) {
      if (this.#explained.has(row)) continue;
      const use = byKey.get(row.key)?.shift();
      const text = `use ${row.usesConsumed} (log entry ${row.sequence})`;
      if (use) this.#explained.set(row, { start: use.start, end: Infinity, text });
      else
        this.#complain(
          'nothing-else-changed',
          `${text} with ${row.key} was not asked for, or was refused`,
        );
    }
  }

  #cancelAmong(operations: readonly Operation[]): Change | undefined {
    const cancels = operations.filter(({ action }) => action === 'cancel');
    const confirmed = cancels.filter(({ outcome }) => outcome === 'ok');
    if (confirmed.length > 0 && this.#fact && !this.#fact.cancelled)
      this.#complain('acknowledged-is-stored', 'its cancel was confirmed, but is not in the store');
    if (cancels.length === 0 || !this.#fact?.cancelled) return undefined;
    const end = Math.min(Infinity, ...confirmed.map((one) => one.end));
    return { start: Math.min(...cancels.map((one) => one.start)), end, text: 'the cancel' };
  }

  /** The model's state before each use, after the last, and after the cancel. A ticket that was cancelled before is so in all. */
  #statesBefore(cancel: Change | undefined): Store[] {
    const wasCancelled = (this.#fact?.cancelled ?? false) && !cancel;
    const gone = this.#fact === undefined;
    let state: Store = { ...NEW_STORE, used: this.#before, cancelled: wasCancelled, gone };
    const states = [state];
    for (const { usesConsumed, at, sequence } of this.#rows) {
      const denial = denialOf(state, at, this.#terms);
      if (denial === 'ticket_cancelled')
        this.#complain(
          'revoked-is-refused',
          `log entry ${sequence} is a use of a cancelled ticket`,
        );
      if (denial === 'expired' || denial === 'not_yet_valid')
        this.#complain(
          'inside-the-window',
          `log entry ${sequence} is a use of a ticket that is ${denial}`,
        );
      state = { ...state, used: usesConsumed ?? state.used };
      states.push(state);
    }
    if (cancel) states.push({ ...state, cancelled: true });
    return states;
  }

  /** When an answer that took no use was right; a repeat has the answer from any time since it was first asked for. */
  #sightOf(operation: Operation, uses: readonly Use[]): Sight[] {
    const told = refusalOrLook(operation);
    if (told === undefined) return [];
    const { action, id, outcome, start, end, usesConsumed, retry } = operation;
    const what = `answer ${id}, ${told}${usesConsumed === undefined ? '' : ` at use ${usesConsumed}`}`;
    const use =
      retry === undefined ? undefined : uses.find(({ tries }) => tries.includes(operation));
    const since = Math.min(start, ...(use?.tries ?? []).map((one) => one.start));
    const times = timesWithin(this.#clock, since, end, this.#terms);
    const fitting = this.#fittingStates(action, told, usesConsumed, times);
    if (!fitting) {
      const rule = outcome === 'ok' ? 'real-time-order' : 'refused-with-cause';
      this.#complain(rule, `${what}: without a cause`);
      return [];
    }
    return [{ start: since, end, first: fitting[0], last: fitting[1], text: what }];
  }

  /** @param times that the service's clock may have said */
  #fittingStates(
    action: Operation['action'],
    told: Status,
    used: number | undefined,
    times: readonly number[],
  ) {
    const name = `${action} ${told} ${used} ${times.join()}`;
    if (!this.#fitting.has(name)) {
      const fits = (state: Store) =>
        times.some((now) => {
          const operation = action === 'validate' ? 'validate' : 'consume';
          const asked = { operation, value: 0, name: '', device: false, code: 0 } as const;
          const [, answer] = scan(state, asked, now, this.#terms);
          return answer.status === told && (used === undefined || answer.used === used);
        });
      const first = this.#states.findIndex(fits);
      this.#fitting.set(name, first < 0 ? undefined : [first, this.#states.findLastIndex(fits)]);
    }
    return this.#fitting.get(name);
  }
}

/** What the model has to explain by a state alone; undefined for a use, for no answer, and for what is about a body or a limit. */
function refusalOrLook({ action, outcome, status, reason }: Operation): Status | undefined {
  if (outcome === 'unknown' || action === 'cancel') return undefined;
  if (outcome === 'ok') return action === 'validate' ? 'validated' : undefined;
  const told = (reason ?? status ?? '') as Status;
  return KNOWN.has(told) ? told : undefined;
}

/** Answers of the model; others are about a body or a limit. */
const KNOWN: ReadonlySet<string> = new Set<Status>([
  'validated',
  'not_found',
  'ticket_cancelled',
  'not_yet_valid',
  'expired',
  'exhausted',
]);

function termsOf(fact: TicketFact | undefined): Terms {
  return {
    usesAllowed: fact?.usesAllowed ?? 0,
    validFrom: fact?.validFrom ?? -Infinity,
    validUntil: fact?.validUntil ?? Infinity,
    keptFor: () => 0,
  };
}

export function usesAmong(operations: readonly Operation[]): Use[] {
  const consumes = operations.filter(({ action }) => action === 'consume');
  const groups = Map.groupBy(consumes, ({ retry, key, id }) =>
    retry === undefined ? String(id) : JSON.stringify([key, retry]),
  );
  return [...groups.values()].map((tries) => {
    const granted = tries.filter(({ outcome }) => outcome === 'ok');
    const isDenied = granted.length === 0 && tries.some(isDenial);
    const possible = isDenied ? [] : tries.filter(({ outcome }) => outcome !== 'fail');
    return { tries, granted, start: Math.min(Infinity, ...possible.map((one) => one.start)) };
  });
}

/** True for a denial of the ticket. That it is gone is said to a repeat as well. */
function isDenial(operation: Operation): boolean {
  const told = operation.outcome === 'fail' ? refusalOrLook(operation) : undefined;
  return told !== undefined && told !== 'not_found';
}

function faultOfRow(
  row: LogFact | undefined,
  rows: readonly LogFact[],
  { key }: Operation,
  granted: readonly Operation[],
): string | undefined {
  if (!row) return 'acknowledged, but not in the log';
  if (rows.length > 1) return `in the log ${rows.length} times`;
  if (row.key !== key) return `acknowledged to ${key}, logged for ${row.key}`;
  const told = granted.find(
    ({ scannedAt }) => scannedAt !== undefined && Date.parse(scannedAt) !== row.at,
  );
  return told && `acknowledged for ${told.scannedAt}, logged for ${new Date(row.at).toISOString()}`;
}

function anyTime({ usesConsumed }: LogFact): Change {
  return { start: -Infinity, end: Infinity, text: `use ${usesConsumed}` };
}
