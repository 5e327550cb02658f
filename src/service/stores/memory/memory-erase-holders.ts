import { ERASED, erasedDetails } from '../../../core/administrative-records.ts';
import { answerWithoutHolder } from '../record-rules.ts';
import type { MemoryState } from './memory-state.ts';

/** Described in `Store.eraseHolders`. @returns of how many tickets something was erased */
export function eraseHolders(state: MemoryState, ticketIds: readonly string[]): number {
  const ids = new Set(ticketIds);
  const erased = new Set<string>();
  for (const id of ids) {
    const ticket = state.tickets.get(id);
    if (!ticket || ticket.holder === null) continue;
    state.tickets.set(id, { ...ticket, holder: null });
    erased.add(id);
  }
  for (const id of eraseReasons(state, ids)) erased.add(id);
  for (const [name, answer] of state.answers) {
    const decision = answerWithoutHolder(answer.decision, ids);
    if (decision !== answer.decision) state.answers.set(name, { ...answer, decision });
  }
  for (const entry of state.trail) {
    if (ids.has(entry.subject))
      state.replaceAuditEntry({ ...entry, details: erasedDetails(entry) });
  }
  return erased.size;
}

/** Why uses were taken back. @returns the tickets */
function eraseReasons(state: MemoryState, ids: ReadonlySet<string>): string[] {
  const entries = state.log.filter(
    ({ ticketId, undo }) => undo && undo.reason !== ERASED && ids.has(ticketId ?? ''),
  );
  for (const entry of entries) {
    if (entry.undo) state.replaceEntry({ ...entry, undo: { ...entry.undo, reason: ERASED } });
  }
  return entries.flatMap(({ ticketId }) => ticketId ?? []);
}
