import { isDeepStrictEqual } from 'node:util';
import type {
  AdministrativeDocument,
  DocumentBound,
  DocumentRevision,
} from '../core/administrative-records.ts';
import { TicketscanError } from '../core/errors.ts';
import type { RecordKind } from './record-store.ts';
import { changedMeanwhile, notFound } from './store-errors.ts';

/**
 * @param stored the record as it is now @param before as the caller read it
 * @throws TicketscanError `not_found` for one that is gone, `conflict` for one that was changed or made meanwhile
 */
export function checkBefore(
  kind: RecordKind,
  stored: unknown,
  before: { readonly id: string } | null,
): void {
  if (stored === undefined && before !== null) throw notFound(kind, before.id);
  if (!isDeepStrictEqual(stored ?? null, before)) throw changedMeanwhile(kind);
}

/**
 * Refuses a document for which there is no room. Engines call it inside the transaction of the write.
 * @param stored every document of the same kind
 * @throws TicketscanError `limit_reached`
 */
export function checkBounds(
  stored: readonly AdministrativeDocument[],
  document: AdministrativeDocument,
  bounds: readonly DocumentBound[],
): void {
  for (const { member, countMax, refusal, reason } of bounds) {
    const text = memberOf(document, member);
    const others = stored.filter(
      (other) => other.id !== document.id && memberOf(other, member) === text,
    );
    if (others.length >= countMax)
      throw new TicketscanError('limit_reached', refusal, { reason, values: { max: countMax } });
  }
}

function memberOf({ value }: AdministrativeDocument, member: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[member];
}

/** True for an account that is not among those that are to be deleted with their organisation. */
export function isUnknownAccount(
  { kind, id }: { readonly kind: string; readonly id: string },
  accounts: readonly DocumentRevision[],
): boolean {
  return kind === 'account' && !accounts.some((known) => known.kind === kind && known.id === id);
}

/**
 * The organisation that must be there when a new document of a person's making is written, so that nothing is left of one that is
 * deleted at the same moment; undefined for other documents, and for accounts of the operator.
 */
export function ownerOfNew({
  kind,
  id,
  revision,
  value,
}: AdministrativeDocument): string | undefined {
  if (revision !== 0) return undefined;
  if (kind === 'sheet-settings') return id;
  if (kind !== 'account' && kind !== 'webhook') return undefined;
  return (value as { readonly organisationId?: string | null }).organisationId ?? undefined;
}
