import { TICKET_KINDS, type TicketKind } from '../target/target.ts';
import type { Applicant } from './applicants.ts';
import type { Skip } from './skips.ts';

/** What a run may spend at most. */
export interface Budget {
  readonly uses: number;
  readonly byKind: readonly { kind: TicketKind; tickets: number; uses: number }[];
}

/** What those who run may spend. */
export function budgetOf(
  applicants: readonly Applicant[],
  skipped: ReadonlyMap<string, Skip>,
): Budget {
  const running = applicants.filter(({ name }) => !skipped.has(name));
  const byKind = TICKET_KINDS.map((kind) => {
    const spending = running.filter(({ needs }) => (needs.uses?.[kind] ?? 0) > 0);
    const shared = spending.some(({ needs }) => needs.purse) ? 1 : 0;
    return {
      kind,
      tickets: shared + sum(spending.map(({ needs }) => needs.tickets?.[kind] ?? 0)),
      uses: sum(spending.map(({ needs }) => needs.uses?.[kind] ?? 0)),
    };
  }).filter(({ uses }) => uses > 0);
  return { uses: sum(byKind.map(({ uses }) => uses)), byKind };
}

/** The sum of some numbers, 0 for none. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
