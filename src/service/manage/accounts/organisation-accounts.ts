import type { DocumentRevision } from '../../../core/administrative-records.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import { type AccountRecord, type TypedDocument, typed } from './account-records.ts';

/** The accounts that go with an organisation. */
export interface LeavingAccounts {
  readonly accounts: readonly AccountRecord[];
  /** These accounts, and an owner who stays: all must be unchanged since they were read. */
  readonly unchanged: readonly DocumentRevision[];
}

type Documents = Pick<RecordStore, 'list'>;

export async function accountsOf(
  store: Documents,
  organisationId: string,
): Promise<AccountRecord[]> {
  const all = (await store.list('account')).map((one) => typed<'account'>(one).value);
  return all.filter((account) => account.organisationId === organisationId);
}

/**
 * The accounts of an organisation that is to be deleted with them.
 * @throws TicketscanError `conflict` when nobody could sign in as an owner afterwards
 */
export async function leavingAccounts(
  store: Documents,
  organisationId: string,
): Promise<LeavingAccounts> {
  const all = (await store.list('account')).map((one) => typed<'account'>(one));
  const leaving = all.filter(({ value }) => value.organisationId === organisationId);
  const staying = all.find(
    ({ value }) => value.organisationId !== organisationId && value.role === 'owner',
  );
  if (leaving.length > 0 && !staying) {
    throw new TicketscanError(
      'conflict',
      'No other organisation has an owner: without these accounts nobody could sign in. Create an owner there first: ' +
        'ticketscan accounts create --role owner --organisation NAME --name NAME',
    );
  }
  const held = staying && leaving.length > 0 ? [...leaving, staying] : leaving;
  return { accounts: leaving.map(({ value }) => value), unchanged: held.map(revisionOf) };
}

function revisionOf({ kind, id, revision }: TypedDocument<'account'>): DocumentRevision {
  return { kind, id, revision };
}
