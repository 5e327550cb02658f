import { type CheckCase, cellsOf, type Needs } from '../cases/case.ts';
import type { Sample } from '../samples/samples.ts';
import { OTHER_EVENT_REFUSED, SPENT_KINDS, type TicketKind } from '../target/target.ts';

/** A cell or sample that asks for tickets. */
export interface Applicant {
  readonly name: string;
  readonly needs: Needs;
}

/** Tickets that cells share: the bait of the consume endpoints, and one permanent card to be let in with. */
export const BAIT: Applicant = { name: '#bait', needs: { tickets: { single: 2 }, uses: {} } };
export const PURSE: Applicant = { name: '#purse', needs: { tickets: { permanent: 1 }, uses: {} } };

/** No server changes them, right or faulty by one fault: they need no owner. */
const SHARED_KINDS: readonly TicketKind[] = [
  ...[...SPENT_KINDS, 'notYetValid' as const, 'otherOrganisation' as const],
  ...OTHER_EVENT_REFUSED,
];

/** True when tickets of that kind are given to these needs alone. */
export function isAlone(needs: Needs, kind: TicketKind): boolean {
  return needs.uses !== undefined && !SHARED_KINDS.includes(kind);
}

/** No run uses them up: permanent cards, and what is refused in any case. */
export const NEVER_USED_UP: readonly TicketKind[] = [
  ...SHARED_KINDS,
  'permanent',
  'permanentEnded',
];

/** Everything that a run asks for tickets, in the order in which it is served: what fails nothing comes last. */
export function applicantsOf(cases: readonly CheckCase[], samples: readonly Sample[]): Applicant[] {
  const cells = cases.flatMap(cellsOf);
  return [
    ...samples.map((sample) => ({ name: sample.name, needs: sample })),
    ...[...cells.filter(({ later }) => !later), ...cells.filter(({ later }) => later)].map(
      (cell) => ({ name: cell.name, needs: cell }),
    ),
  ];
}
