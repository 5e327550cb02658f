import type { TargetTicket, TicketKind } from '../target/target.ts';
import { isOptional } from '../target/target.ts';
import { type Applicant, isAlone, NEVER_USED_UP } from './applicants.ts';
import { optionalWhere, type Skip } from './skips.ts';

/** The tickets of one kind for each applicant, by its name. */
export type Tickets = Map<string, Partial<Record<TicketKind, readonly TargetTicket[]>>>;

interface Pool {
  readonly kind: TicketKind;
  readonly tickets: readonly TargetTicket[];
  /** How many at the front are for spenders, also for those that do not run now. */
  readonly reserved: number;
}

/** Gives tickets of one kind to those who want some: first to those who spend them, then to those who only look. */
export function allotKind(
  { kind, tickets: pool, reserved }: Pool,
  applicants: readonly Applicant[],
  tickets: Tickets,
  skipped: Map<string, Skip>,
): void {
  const wanting = applicants.filter(
    ({ name, needs }) => needs.tickets?.[kind] && !skipped.has(name),
  );
  const spenders = wanting.filter(({ needs }) => isAlone(needs, kind));
  const lookers = wanting.filter(({ needs }) => !isAlone(needs, kind));
  // The last one of a kind is spent by no run: the next one sees by it that tickets were used before.
  const least = NEVER_USED_UP.includes(kind) ? 0 : 1;
  const kept = Math.max(least, ...lookers.map(({ needs }) => needs.tickets?.[kind] ?? 0));
  let next = 0;
  const give = (name: string, given: readonly TargetTicket[]) =>
    tickets.set(name, { ...tickets.get(name), [kind]: given });
  for (const { name, needs } of spenders) {
    const count = needs.tickets?.[kind] ?? 0;
    if (next + count > pool.length - kept) {
      const reason = `the target has too few "${kind}" tickets: ${count} more needed`;
      skipped.set(name, { reason, ...optionalWhere(isOptional(kind)) });
      continue;
    }
    give(name, pool.slice(next, next + count));
    next += count;
  }
  const rest = pool.slice(Math.max(next, Math.min(reserved, pool.length - kept)));
  let turn = 0;
  for (const { name, needs } of lookers) {
    const count = needs.tickets?.[kind] ?? 0;
    if (turn + count > rest.length) turn = 0;
    give(name, rest.slice(turn, turn + count));
    turn += count;
  }
}
