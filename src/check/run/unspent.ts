import { counted } from '../../kit/text.ts';
import type { TicketCounts } from '../cases/case.ts';
import { Scan } from '../cases/scan.ts';
import type { Target, TargetTicket, TicketKind } from '../deployment/target.ts';
import { TransportFailure, UnreachableError } from '../facts/failures.ts';
import { isRecord, type JsonRecord } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { codeIn } from '../law/shown.ts';
import type { Plan } from '../planning/plan.ts';
import type { Run } from './run-state.ts';

type Look = 'unused' | 'used' | 'unclear';

/**
 * Gives the run other tickets than those that were used before.
 * @returns a note for the report
 */
export async function leaveOutSpent(
  run: Run,
  isPart: boolean,
  planFor: (target: Target) => Plan,
): Promise<string[]> {
  const unspent = await unspentTarget(run, isPart);
  if (!unspent) return [];
  run.target = unspent.target;
  run.plan = planFor(unspent.target);
  return [
    `Used up before this run: ${unspent.used.join(', ')}. Others are taken where there are some; fill the list, or mint.`,
  ];
}

/**
 * The tickets that stay reserved for a complete run when this one only looks: none of a kind of which used tickets were
 * left out, because all that are left may be looked at.
 */
export function reservedIn(unspent: Target, target: Target, reserved: TicketCounts): TicketCounts {
  const kept = Object.entries(reserved) as [TicketKind, number][];
  return Object.fromEntries(
    kept.filter(([kind]) => unspent.tickets[kind] === target.tickets[kind]),
  );
}

/** A target without the tickets that were used before. */
interface Unspent {
  readonly target: Target;
  /** `12 of 20 single tickets`. */
  readonly used: readonly string[];
}

/**
 * Looks whether an earlier run has used the tickets that this one would show. An answer that contradicts itself, such as exhausted with
 * uses left, or let in with none, is no reason to leave a ticket out: it is judged.
 * Validates two tickets of each kind, and more only where one was used; for a part of a complete run all that it shows, because earlier
 * parts may have used any of them.
 * @returns undefined where nothing was used before
 */
async function unspentTarget(run: Run, isPart: boolean): Promise<Unspent | undefined> {
  if (run.target.keys.rest === undefined) return undefined;
  const lists = await Promise.all(
    [...run.plan.shown].map(async ([kind, { spent, seen }]) => {
      const first = isPart ? [...spent, ...seen] : [...spent.slice(0, 1), ...seen.slice(0, 1)];
      return [kind, await unusedOf(run, kind, first)];
    }),
  );
  const found = lists.filter(([, list]) => list !== undefined) as [TicketKind, Unused][];
  if (found.length === 0) return undefined;
  const tickets = Object.fromEntries(found.map(([kind, { list }]) => [kind, list]));
  return {
    target: { ...run.target, tickets: { ...run.target.tickets, ...tickets } },
    used: found.map(
      ([kind, { list }]) =>
        `${(run.target.tickets[kind] ?? []).length - list.length} of ${counted((run.target.tickets[kind] ?? []).length, `${kind} ticket`)}`,
    ),
  };
}

interface Unused {
  readonly list: readonly TargetTicket[];
}

/** The unused tickets of a kind, or undefined where those that are shown first are unused. */
async function unusedOf(
  run: Run,
  kind: TicketKind,
  first: readonly TargetTicket[],
): Promise<Unused | undefined> {
  const tickets = run.target.tickets[kind] ?? [];
  const shown = await Promise.all(first.map((ticket) => look(run, ticket)));
  const used = first[shown.indexOf('used')];
  if (used === undefined) return undefined;
  // a validate that takes uses makes every ticket look used
  if (!(await isUnchanged(run, used))) return undefined;
  const looks = await Promise.all(tickets.map((ticket) => look(run, ticket)));
  return { list: tickets.filter((_, i) => looks[i] !== 'used') };
}

async function isUnchanged(run: Run, { code }: TargetTicket): Promise<boolean> {
  const scan = new Scan(run, { id: 'tickets', level: 'stated' });
  const looks = [await scan.validate(code), await scan.validate(code)];
  const [one, other] = looks.map(({ answer }) => read(answer));
  return one?.outcome === other?.outcome && one?.used === other?.used;
}

async function look(run: Run, { code }: TargetTicket): Promise<Look> {
  try {
    const wasGood = wasLetIn(run, code);
    const { answer } = await new Scan(run, { id: 'tickets', level: 'stated' }).validate(code);
    const shown = isRecord(answer.json) ? whatIsShown(answer.json) : 'unclear';
    return shown === 'used' && wasGood ? 'unclear' : shown;
  } catch (error) {
    if (error instanceof TransportFailure || error instanceof UnreachableError) return 'unclear';
    throw error;
  }
}

/** This run has consumed nothing yet: a ticket that it was told to be good was not used up before it, whatever is shown now. */
function wasLetIn(run: Run, code: string): boolean {
  return run.exchanges.some(
    ({ request, answer }) =>
      codeIn(request, 'validate') === code && read(answer).outcome === 'granted',
  );
}

function whatIsShown({ status, usesConsumed, usesAllowed, usesRemaining }: JsonRecord): Look {
  const isUsedUp = usesRemaining === 0 && usesConsumed === usesAllowed;
  if (status === 'exhausted') return isUsedUp ? 'used' : 'unclear';
  if (status !== 'validated' || typeof usesConsumed !== 'number') return 'unclear';
  if (usesConsumed === 0) return 'unused';
  return isUsedUp ? 'unclear' : 'used';
}
