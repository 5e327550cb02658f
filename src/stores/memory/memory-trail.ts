import type {
  AdministrativeDocument,
  DocumentKind,
  NewTrailEntry,
  TrailEntry,
} from '../../core/administrative-records.ts';
import type { TrailFilter } from '../store.ts';
import { changedMeanwhile } from '../store-errors.ts';
import type { MemoryState } from './memory-state.ts';

type Held = Pick<MemoryState, 'documents' | 'trail'>;

export function appendTrail(state: MemoryState, act: NewTrailEntry | undefined): void {
  if (act) state.appendAct({ ...act, sequence: state.trail.length + 1 });
}

export function readTrail({ trail }: Held, filter: TrailFilter): TrailEntry[] {
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

/** @throws TicketscanError `conflict` when the stored revision is another */
export function putDocument({ documents }: Held, document: AdministrativeDocument): void {
  const name = documentName(document.kind, document.id);
  const { revision = 0 } = documents.get(name) ?? {};
  if (revision !== document.revision) throw changedMeanwhile(document.kind);
  // What is kept must not change with the object that the caller holds.
  const value: unknown = structuredClone(document.value);
  documents.set(name, { ...document, value, revision: revision + 1 });
}

export function documentName(kind: DocumentKind, id: string): string {
  return `${kind} ${id}`;
}
