import type { AdministrativeDocument, DocumentKind } from './administrative-records.ts';
import { TicketscanError } from './errors.ts';
import type { Ticket } from './ticket.ts';

/** What links a ticket that was lost and the one that was issued for it: a document of each, found by the id of its ticket. */
export const LINK_KINDS = ['replaced-ticket', 'replacement'] as const satisfies DocumentKind[];

/**
 * What is issued for a lost ticket: all that it is, with the uses that it had.
 * @throws TicketscanError `conflict` for a cancelled one
 */
export function replacementOf(lost: Ticket, id: string, createdAt: number): Ticket {
  if (lost.cancelledAt === null) return { ...lost, id, createdAt };
  throw new TicketscanError(
    'conflict',
    `Ticket ${lost.id} is cancelled: nothing can be issued in its place. Reinstate it first, if its guest may enter.`,
    { reason: 'replace_cancelled' },
  );
}

/** Both new. */
export function linksOf(lostId: string, replacementId: string): readonly AdministrativeDocument[] {
  return [
    { kind: 'replaced-ticket', id: lostId, revision: 0, value: { replacedBy: replacementId } },
    { kind: 'replacement', id: replacementId, revision: 0, value: { replaces: lostId } },
  ];
}
