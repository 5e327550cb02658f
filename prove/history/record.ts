import { readFileSync } from 'node:fs';

/**
 * What clients wrote down, one JSON object a line; README.md beside this file describes every member.
 * Times are milliseconds of one monotonic clock that all clients share.
 */
export type RecordLine = StartLine | LimitsLine | ClockLine | InvokeLine | AnswerLine | UnknownLine;

/** The store before the run: log entries up to `sequence` were there already. */
interface StartLine {
  readonly type: 'start';
  readonly sequence: number;
  /** Requests counted for each key before the run, by its public id; a key that is missing had none. */
  readonly requests?: Readonly<Record<string, number>>;
  /** Keys that are not active before the run, by their public ids. */
  readonly keys?: Readonly<Record<string, KeyState>>;
}

export type KeyState = 'active' | 'disabled' | 'deleted';

/** What the organisation of a key allows. */
export interface LimitsLine {
  readonly type: 'limits';
  readonly key: string;
  readonly ratePerSecond: number;
  readonly burst: number;
  readonly quotaPerMonth: number;
  /** Server processes of the run, at once or one after another: each had a bucket of its own. 1 when not given. */
  readonly servers?: number;
}

/** What the servers' wall clock says, in milliseconds since 1970, from `at` until the next such line: somebody sets it. */
export interface ClockLine {
  readonly type: 'clock';
  readonly at: number;
  readonly wall: number;
}

type RecordedAction = 'consume' | 'validate' | 'cancel' | 'disable' | 'enable' | 'delete';

export interface InvokeLine {
  readonly type: 'invoke';
  readonly id: number;
  readonly at: number;
  readonly action: RecordedAction;
  /** Public id of the key that was used or changed. */
  readonly key?: string;
  /** Ticket id, never the code. */
  readonly ticket?: string;
  /** The request's idempotency name: requests with the same key and name are one use. */
  readonly retry?: string;
}

/** `ok`: granted, or the change was confirmed. `fail`: refused, and nothing may have changed. */
export interface AnswerLine {
  readonly type: 'ok' | 'fail';
  readonly id: number;
  readonly at: number;
  /** The status of section 2.3; `key_refused` for a 401, `limited` for a 429. */
  readonly status: string;
  readonly reason?: string;
  readonly usesConsumed?: number;
  readonly usesAllowed?: number;
  readonly scannedAt?: string;
}

/** No answer, or one that says nothing: the use may or may not be registered. */
interface UnknownLine {
  readonly type: 'unknown';
  readonly id: number;
  readonly at: number;
  readonly why: string;
}

/** One request with its answer. */
export interface Operation extends Omit<InvokeLine, 'type' | 'at'> {
  readonly start: number;
  /** Infinity when nothing was ever heard. */
  readonly end: number;
  readonly outcome: 'ok' | 'fail' | 'unknown';
  readonly status?: string;
  readonly reason?: string;
  readonly usesConsumed?: number;
  readonly usesAllowed?: number;
  readonly scannedAt?: string;
}

export interface History {
  readonly startSequence: number;
  readonly requestsBefore: ReadonlyMap<string, number>;
  /** The keys before, without those that were active; undefined when nobody knows: then they were. */
  readonly keysBefore?: ReadonlyMap<string, KeyState>;
  /** Empty when nobody knows what the clock said. */
  readonly clock: readonly ClockLine[];
  readonly limits: readonly LimitsLine[];
  readonly operations: readonly Operation[];
}

/** Pairs invocations with answers. An invocation without one is unknown. @throws Error when a line makes no sense */
export function historyFrom(lines: Iterable<RecordLine>): History {
  const operations = new Map<number, Operation>();
  const limits: LimitsLine[] = [];
  const clock: ClockLine[] = [];
  let start: StartLine = { type: 'start', sequence: 0 };
  for (const line of lines) {
    if (line.type === 'start') start = line;
    else if (line.type === 'limits') limits.push(line);
    else if (line.type === 'clock') clock.push(checkedClock(line));
    else if (line.type === 'invoke') operations.set(line.id, pending(line));
    else operations.set(line.id, answered(operations.get(line.id), line));
  }
  return {
    startSequence: start.sequence,
    requestsBefore: new Map(Object.entries(start.requests ?? {})),
    ...(start.keys && { keysBefore: new Map(Object.entries(start.keys)) }),
    limits,
    clock,
    operations: [...operations.values()],
  };
}

function checkedClock(line: ClockLine): ClockLine {
  if (Number.isFinite(line.at + line.wall)) return line;
  throw new Error('record: a clock line needs the numbers `at` and `wall`');
}

function pending({ type: _, at, ...invocation }: InvokeLine): Operation {
  return { ...invocation, start: at, end: Number.POSITIVE_INFINITY, outcome: 'unknown' };
}

function answered(operation: Operation | undefined, line: AnswerLine | UnknownLine): Operation {
  if (!operation) throw new Error(`record: an answer to ${line.id}, which was never asked`);
  const { type, at, id: _, ...answer } = line;
  return { ...operation, ...answer, end: at, outcome: type };
}

/** Reads a record file. A last line that was cut off by a crash of the client is left out. */
export function readRecord(path: string): RecordLine[] {
  const texts = readFileSync(path, 'utf8').split('\n');
  texts.pop();
  return texts.map((text, index) => {
    try {
      return JSON.parse(text) as RecordLine;
    } catch {
      throw new Error(`${path}: line ${index + 1} is not JSON`);
    }
  });
}
