import { withoutNames } from '../../../core/erased.ts';
import { answerWithoutHolder } from '../erased-answer.ts';
import type { MemoryState } from './memory-state.ts';

/** Described in `Store.eraseHolders`. @returns how many tickets had a holder */
export function eraseHolders(state: MemoryState, ticketIds: readonly string[]): number {
  const ids = new Set(ticketIds);
  let erased = 0;
  for (const id of ids) {
    const ticket = state.tickets.get(id);
    if (!ticket || ticket.holder === null) continue;
    state.tickets.set(id, { ...ticket, holder: null });
    erased += 1;
  }
  for (const [name, answer] of state.answers) {
    const decision = answerWithoutHolder(answer.decision, ids);
    if (decision !== answer.decision) state.answers.set(name, { ...answer, decision });
  }
  for (const entry of state.trail) {
    if (!ids.has(entry.subject)) continue;
    const details = withoutNames(entry.details) as typeof entry.details;
    state.replaceAuditEntry({ ...entry, details });
  }
  return erased;
}
