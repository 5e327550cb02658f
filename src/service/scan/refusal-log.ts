import type { Logger } from 'pino';
import { MINUTE_MS } from '../../kit/durations.ts';

/** What a line says besides how often it happened; never a secret, and nothing long. */
export type RefusalFields = Readonly<Record<string, string | number | null>>;

interface Row {
  readonly fields: RefusalFields;
  /** Since the last line about it. */
  times: number;
}

const EVERY_MS = MINUTE_MS;
/** Of one kind in one minute; what else is refused is counted together. */
const ROWS_PER_KIND = 10;
const OTHERS = 'others';

/**
 * Tells of refused requests without letting a flood of them fill the disk: the first of a sort at once, then one line a
 * minute with how many more there were. There are as many sorts as there are different fields, up to a bound.
 */
export class RefusalLog {
  readonly #log: Logger;
  readonly #kinds = new Map<string, Map<string, Row>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
  }

  /** @param kind one of a few; the text of the line */
  note(kind: string, fields: RefusalFields): void {
    if (!this.#log.isLevelEnabled('warn')) return;
    const rows = this.#kinds.get(kind) ?? new Map<string, Row>();
    this.#kinds.set(kind, rows);
    const { name, shown } = nameIn(rows, fields);
    const row = rows.get(name);
    if (row) {
      row.times += 1;
      return;
    }
    rows.set(name, { fields: shown, times: 0 });
    this.#log.warn(shown, kind);
    this.#timer ??= setInterval(() => this.flush(), EVERY_MS).unref();
  }

  /** Writes what was counted since the last line; what did not happen again is forgotten. */
  flush(): void {
    for (const [kind, rows] of this.#kinds) {
      for (const [name, row] of rows) {
        if (row.times === 0) rows.delete(name);
        else this.#log.warn({ ...row.fields, times: row.times, seconds: EVERY_MS / 1000 }, kind);
        row.times = 0;
      }
      if (rows.size === 0) this.#kinds.delete(kind);
    }
    if (this.#kinds.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function nameIn(
  rows: ReadonlyMap<string, Row>,
  fields: RefusalFields,
): { name: string; shown: RefusalFields } {
  const name = JSON.stringify(fields);
  if (rows.has(name) || rows.size < ROWS_PER_KIND) return { name, shown: fields };
  return { name: OTHERS, shown: { others: 'more than are listed one by one' } };
}

const KINDS: Readonly<Record<number, string>> = {
  401: 'a request without a valid key, token or session was refused',
  403: 'a request that is not allowed was refused',
  429: 'a request over a limit was refused',
  503: 'a request was refused: too many are waiting',
};

/** The kind of an answer with this status; undefined when it refuses nobody. */
export function refusalKind(status: number): string | undefined {
  return KINDS[status];
}

const KEY_START = /^tscn_(?:api|hw)_[0-9A-Za-z]{0,4}/;

/** A secret as a log may show it: of our keys the beginning, of anything else how long it is. */
export function describeSecret(text: string): string {
  const start = KEY_START.exec(text)?.[0];
  return start === undefined ? `${text.length} characters` : `${start}…`;
}
