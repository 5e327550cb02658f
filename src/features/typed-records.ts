import type { AdministrativeKind, AdministrativeRecord } from '../core/administrative-records.ts';
import type { AdministrativeMember, RecordStore } from '../stores/record-store.ts';

/** A record as it was read, with the revision that a change of it expects. */
export interface Stored<Value> {
  readonly revision: number;
  readonly value: Value;
}

/** An administrative record with the value that its kind has. */
export interface RecordOf<Kind extends AdministrativeKind, Value> extends AdministrativeRecord {
  readonly kind: Kind;
  readonly value: Value;
}

/**
 * Reads administrative records with the values that `ValueOf` names by their kinds. Only this program writes them, so each has the value
 * that its kind has.
 */
export function typedRecords<ValueOf extends object>() {
  type Kinds = keyof ValueOf & AdministrativeKind;
  return {
    /** @returns undefined where there is none */
    async read<Kind extends Kinds>(
      store: Pick<RecordStore, 'read'>,
      kind: Kind,
      id: string,
    ): Promise<RecordOf<Kind, ValueOf[Kind]> | undefined> {
      return (await store.read(kind, id)) as RecordOf<Kind, ValueOf[Kind]> | undefined;
    },
    /** @param member undefined for all records of the kind */
    async list<Kind extends Kinds>(
      store: Pick<RecordStore, 'list'>,
      kind: Kind,
      member?: AdministrativeMember,
    ): Promise<RecordOf<Kind, ValueOf[Kind]>[]> {
      return (await store.list(kind, member ? { member } : {})) as RecordOf<Kind, ValueOf[Kind]>[];
    },
  };
}

/** Chooses the records of one organisation; those of all for undefined. */
export function ofOrganisation(id: string): AdministrativeMember;
export function ofOrganisation(id: string | null | undefined): AdministrativeMember | undefined;
export function ofOrganisation(id: string | null | undefined): AdministrativeMember | undefined {
  return id == null ? undefined : { name: 'organisationId', anyOf: [id] };
}
