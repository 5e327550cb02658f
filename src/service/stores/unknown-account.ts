import type { DocumentRevision } from '../../core/administrative-records.ts';

/** True for an account that is not among those that are to be deleted with their organisation. */
export function isUnknownAccount(
  { kind, id }: { readonly kind: string; readonly id: string },
  accounts: readonly DocumentRevision[],
): boolean {
  return kind === 'account' && !accounts.some((known) => known.kind === kind && known.id === id);
}
