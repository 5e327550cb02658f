/** When something may have happened, on the clients' clock: not before `start`, not after `end`. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** A change of a ticket or key, in its order, with what asked for it. */
export interface Change extends Span {
  readonly text: string;
}

/** An answer that changed nothing. It fits the states from `first` to `last`: state 0 is the one before the first change. */
export interface Sight extends Span {
  readonly first: number;
  readonly last: number;
  readonly text: string;
}

interface Limit {
  readonly at: number;
  readonly text: string;
}

/**
 * Looks for moments at which the changes can have happened, one after another, each within its span, such that every sight was
 * within its own span while one of its states was in force. Exact for sights of states that stand together.
 *
 * @returns what cannot both be, undefined when there are such moments
 */
export function contradiction(
  changes: readonly Change[],
  sights: readonly Sight[],
): string | undefined {
  const earliest = changes.map(
    ({ start, text }): Limit => ({ at: start, text: `${text}, asked for at ${start}` }),
  );
  const latest = changes.map(
    ({ end, text }): Limit => ({ at: end, text: `${text}, answered at ${end}` }),
  );
  for (const { start, end, first, last, text } of sights) {
    lower(latest, first - 1, { at: end, text: `${text}, answered at ${end}` });
    raise(earliest, last, { at: start, text: `${text}, asked for at ${start}` });
  }
  for (let index = changes.length - 1; index > 0; index -= 1)
    lower(latest, index - 1, latest[index]);
  for (let index = 0; index < changes.length; index += 1) {
    if (index > 0) raise(earliest, index, earliest[index - 1]);
    const [from, to] = [earliest[index], latest[index]];
    if (from && to && from.at > to.at) return `${from.text}, but ${to.text}`;
  }
  return undefined;
}

function lower(limits: Limit[], index: number, limit: Limit | undefined): void {
  const present = limits[index];
  if (present && limit && limit.at < present.at) limits[index] = limit;
}

function raise(limits: Limit[], index: number, limit: Limit | undefined): void {
  const present = limits[index];
  if (present && limit && limit.at > present.at) limits[index] = limit;
}
