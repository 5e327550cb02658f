import type {
  AdministrativeDocument,
  DocumentRevision,
} from '../../core/administrative-records.ts';

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
