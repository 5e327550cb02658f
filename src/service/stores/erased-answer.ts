import type { StoredAnswer } from '../../core/scan-batch.ts';

/** A stored decision without the holder of its ticket, if that is one of the tickets; else the same object. */
export function answerWithoutHolder(
  decision: StoredAnswer['decision'],
  ticketIds: ReadonlySet<string>,
): StoredAnswer['decision'] {
  if (!('ticket' in decision) || decision.ticket.holder === null) return decision;
  if (!ticketIds.has(decision.ticket.id)) return decision;
  return { ...decision, ticket: { ...decision.ticket, holder: null } };
}
