import type {
  AdministrativeDocument,
  AuditLogEntry,
  DocumentKind,
  DocumentRevision,
  NewAuditLogEntry,
} from '../../../core/administrative-records.ts';
import type { AuditFilter } from '../record-store.ts';
import { changedMeanwhile } from '../store-errors.ts';
import type { MemoryState } from './memory-state.ts';

type Held = Pick<MemoryState, 'documents' | 'trail'>;

export function appendAuditEntry(state: MemoryState, auditEntry: NewAuditLogEntry | null): void {
  if (!auditEntry) return;
  state.appendAuditEntry({ ...auditEntry, sequence: (state.trail.at(-1)?.sequence ?? 0) + 1 });
}

export function readAuditLog({ trail }: Held, filter: AuditFilter): AuditLogEntry[] {
  const { organisationId, beforeSequence = Number.POSITIVE_INFINITY, limit } = filter;
  return trail
    .filter(
      (entry) =>
        entry.sequence < beforeSequence &&
        (organisationId === undefined || entry.organisationId === organisationId),
    )
    .reverse()
    .slice(0, limit);
}

export function listDocuments({ documents }: Held, kind: DocumentKind): AdministrativeDocument[] {
  return [...documents.values()]
    .filter((document) => document.kind === kind)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** @throws TicketscanError `conflict` when a stored revision is another */
export function refuseChanged({ documents }: Held, unchanged: readonly DocumentRevision[]): void {
  for (const { kind, id, revision } of unchanged) {
    const stored = documents.get(documentName(kind, id))?.revision ?? 0;
    if (stored !== revision) throw changedMeanwhile(kind);
  }
}

/** Whether its revision is the stored one is for the caller to know. */
export function putDocument({ documents }: Held, document: AdministrativeDocument): void {
  // What is kept must not change with the object that the caller holds.
  const value: unknown = structuredClone(document.value);
  const name = documentName(document.kind, document.id);
  documents.set(name, { ...document, value, revision: document.revision + 1 });
}

/** An event of which tickets may be left. */
export function isBeingDeleted({ documents }: Pick<Held, 'documents'>, eventId: string): boolean {
  return documents.has(documentName('deletion', eventId));
}

export function documentName(kind: DocumentKind, id: string): string {
  return `${kind} ${id}`;
}
