/** What one client saw of one request. Judged without any code of the server. */
export interface Observation {
  readonly ticket: string;
  /** On one clock for all clients, milliseconds. */
  readonly startedAt: number;
  readonly endedAt: number;
  readonly answer:
    | { readonly kind: 'admitted'; readonly number: number }
    | { readonly kind: 'exhausted' }
    /** A 500, or no answer at all: a use may or may not have been registered. */
    | { readonly kind: 'unknown' };
}

export interface TicketTruth {
  readonly allowed: number;
  /** What the service says when all is over. */
  readonly counted: number;
}

/**
 * What contradicts the promises: no use given twice, none that was acknowledged lost, numbers that rise with time, and
 * nobody turned away while there were uses left.
 */
export function contradictions(
  history: readonly Observation[],
  truth: ReadonlyMap<string, TicketTruth>,
): string[] {
  const byTicket = Map.groupBy(history, ({ ticket }) => ticket);
  return [...truth].flatMap(([ticket, its]) => {
    return problemsOf(byTicket.get(ticket) ?? [], its).map((problem) => `${ticket}: ${problem}`);
  });
}

function problemsOf(seen: readonly Observation[], { allowed, counted }: TicketTruth): string[] {
  const problems: string[] = [];
  const admitted = seen.flatMap(({ answer, ...times }) =>
    answer.kind === 'admitted' ? [{ ...times, number: answer.number }] : [],
  );
  const unknown = seen.filter(({ answer }) => answer.kind === 'unknown').length;
  const numbers = admitted.map(({ number }) => number);
  const twice = numbers.filter((number, index) => numbers.indexOf(number) !== index);
  if (twice.length > 0) problems.push(`uses ${twice.join(', ')} were given twice`);
  if (admitted.length > allowed) problems.push(`${admitted.length} admitted of ${allowed}`);
  if (numbers.some((number) => number < 1 || number > allowed))
    problems.push('a use beyond what is allowed');
  const least = Math.max(admitted.length, ...numbers);
  if (counted < least)
    problems.push(`${least} uses were acknowledged, ${counted} are counted: lost`);
  if (counted > admitted.length + unknown) {
    problems.push(
      `${counted} are counted, but only ${admitted.length} admitted and ${unknown} unknown`,
    );
  }
  if (counted < allowed && seen.some(({ answer }) => answer.kind === 'exhausted')) {
    problems.push(`turned away as exhausted although ${allowed - counted} uses are left`);
  }
  return [...problems, ...backwards(admitted)];
}

function backwards(
  admitted: readonly { startedAt: number; endedAt: number; number: number }[],
): string[] {
  const byEnd = [...admitted].sort((a, b) => a.endedAt - b.endedAt);
  const byStart = [...admitted].sort((a, b) => a.startedAt - b.startedAt);
  let highest = 0;
  let ended = 0;
  for (const later of byStart) {
    for (; (byEnd[ended]?.endedAt ?? Infinity) < later.startedAt; ended += 1) {
      highest = Math.max(highest, byEnd[ended]?.number ?? 0);
    }
    if (later.number < highest)
      return [`use ${later.number} was given after use ${highest} was acknowledged`];
  }
  return [];
}
