import type { LogEntry } from '../../core/records.ts';
import type { StoredAnswer } from '../../core/scan-batch.ts';

/** Whether a stored answer is the one that was given when this use was taken: the log does not name it. */
export function isAnswerOfUse(
  decision: StoredAnswer['decision'],
  { ticketId, usesConsumed, at }: LogEntry,
): boolean {
  if (decision.status !== 'consumed') return false;
  const { ticket, scannedAt } = decision;
  return ticket.id === ticketId && ticket.usesConsumed === usesConsumed && scannedAt === at;
}
