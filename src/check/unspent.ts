import { TransportFailure, UnreachableError } from './deviation.ts';
import { isRecord } from './facts/json.ts';
import type { Run } from './run-state.ts';
import { Scan } from './scan.ts';
import type { Target, TargetTicket, TicketKind } from './target.ts';

/** So many uses a card of the target has left, or it is not asked. */
const USES_WANTED = 3;

type Look = 'unused' | 'used' | 'used up' | 'unclear';

/** A target whose used tickets come last, and whose used up ones are left out. */
export interface Unspent {
  readonly target: Target;
  readonly usedBefore: number;
}

/**
 * Looks whether an earlier run has used the tickets that this one would spend: the first of a kind are used, and its
 * last one, which no run spends, is not. A server that takes every ticket of a kind for used has no such contrast.
 * Validates one ticket of each kind; more only where it was used.
 * @returns undefined where nothing was used before
 */
export async function unspentTarget(run: Run): Promise<Unspent | undefined> {
  if (run.target.keys.rest === undefined) return undefined;
  const lists = await Promise.all(
    [...run.plan.firstSpent].map(async ([kind, first]) => [kind, await sorted(run, kind, first)]),
  );
  const found = lists.filter(([, list]) => list !== undefined) as [TicketKind, Sorted][];
  if (found.length === 0) return undefined;
  const tickets = Object.fromEntries(found.map(([kind, { list }]) => [kind, list]));
  return {
    target: { ...run.target, tickets: { ...run.target.tickets, ...tickets } },
    usedBefore: found.reduce((sum, [, { usedBefore }]) => sum + usedBefore, 0),
  };
}

interface Sorted {
  readonly list: readonly TargetTicket[];
  readonly usedBefore: number;
}

/** The tickets of a kind with the unused ones first, or undefined where the first one is unused. */
async function sorted(
  run: Run,
  kind: TicketKind,
  first: TargetTicket,
): Promise<Sorted | undefined> {
  const tickets = run.target.tickets[kind] ?? [];
  const last = tickets.at(-1);
  if (last === undefined || !(await look(run, first)).startsWith('used')) return undefined;
  if ((await look(run, last)) !== 'unused') return undefined;
  const looks = await Promise.all(tickets.map((ticket) => look(run, ticket)));
  const those = (wanted: (one: Look) => boolean) =>
    tickets.filter((_, i) => wanted(looks[i] ?? 'unclear'));
  const used = those((one) => one === 'used');
  const unused = those((one) => one === 'unused' || one === 'unclear');
  // the last one stays the last, which shows the next run the same contrast
  const list = [...unused.slice(0, -1), ...used, last];
  return { list, usedBefore: tickets.length - list.length + used.length };
}

async function look(run: Run, { code }: TargetTicket): Promise<Look> {
  try {
    const { answer } = await new Scan(run, { id: 'tickets', level: 'stated' }).validate(code);
    if (!isRecord(answer.json)) return 'unclear';
    const { status, usesConsumed, usesRemaining } = answer.json;
    if (status === 'exhausted') return 'used up';
    if (status !== 'validated') return 'unclear';
    if (usesConsumed === 0) return 'unused';
    return Number(usesRemaining) < USES_WANTED ? 'used up' : 'used';
  } catch (error) {
    if (error instanceof TransportFailure || error instanceof UnreachableError) return 'unclear';
    throw error;
  }
}
