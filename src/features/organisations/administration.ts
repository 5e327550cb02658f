import { type NewAuditLogEntry, UNNAMED_ORGANISATION } from '../../core/administrative-records.ts';
import { checkedName } from '../../core/checked-name.ts';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../../core/limits.ts';
import type { Organisation, OrganisationEdit, SheetSettings } from '../../core/records.ts';
import { changedOrganisation } from '../../core/records.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { BASE36, type RandomBytes, randomText } from '../../kit/random.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { LogStore } from '../../stores/store.ts';
import { notFound } from '../../stores/store-errors.ts';
import type { AccountRecord, LeavingAccounts } from '../accounts/account-records.ts';
import { accountsOf, endCredentials, leavingAccounts } from '../accounts/account-records.ts';
import { type Actor, auditEntryOf, COMMAND_LINE } from '../actor.ts';
import { refuseLogged } from '../log/log-reader.ts';
import { again, checkLimits, findNamed, listed, refuseSameName } from '../record-checks.ts';
import { checkOwnersLimits, limitsSetBy } from './owners-limits.ts';
import { SheetAdministration } from './sheet-settings.ts';

const NO_ACCOUNTS: LeavingAccounts = { accounts: [], unchanged: [] };
const RECORD_ID_CHARACTERS = 10;

/** What the administration needs of a store; only what is deleted must be searched for in the log. */
export type AdministeredStore = RecordStore & Pick<LogStore, 'searchLog'>;

/** What an organisation may have from the beginning. */
interface MoreOfOrganisation {
  readonly timeZone?: string | undefined;
  readonly sampleNeighbour?: true;
}

/** What people do with organisations. */
export class OrganisationAdministration {
  protected readonly store: AdministeredStore;
  protected readonly clock: Clock;
  protected readonly random: RandomBytes;
  protected readonly actor: Actor;

  constructor(
    store: AdministeredStore,
    clock: Clock,
    random: RandomBytes,
    actor: Actor = COMMAND_LINE,
  ) {
    this.store = store;
    this.clock = clock;
    this.random = random;
    this.actor = actor;
  }

  /** @throws TicketscanError `conflict` when the name is taken, `usage` for a name or limit that cannot be */
  async createOrganisation(
    name: string,
    limits: OrganisationLimits = DEFAULT_LIMITS,
    { timeZone, sampleNeighbour }: MoreOfOrganisation = {},
  ): Promise<Organisation> {
    checkLimits(limits);
    const organisation: Organisation = {
      id: this.recordId('org'),
      name: checkedName(name),
      limits,
      ...(timeZone !== undefined && { timeZone: checkTimeZone(timeZone) }),
      ...(sampleNeighbour && { sampleNeighbour }),
      createdAt: this.clock.now(),
    };
    refuseSameName('organisation', organisation, await this.store.list('organisation'));
    const { id, name: chosen } = organisation;
    await this.store.write({
      records: [{ kind: 'organisation', before: null, after: organisation }],
      audit: [this.auditEntry('organisation.create', id, id, { name: chosen, limits })],
    });
    return organisation;
  }

  /**
   * Changes all of the given members, or none.
   * @throws TicketscanError `not_found`, `conflict` for a taken name, `usage`, `not_allowed` for limits that an account may not change
   */
  async editOrganisation(
    nameOrId: string | undefined,
    changes: OrganisationEdit,
  ): Promise<Organisation> {
    return again(() => this.#edit(nameOrId, changes));
  }

  async #edit(nameOrId: string | undefined, changes: OrganisationEdit): Promise<Organisation> {
    const organisation = await this.findOrganisation(nameOrId, 'Give its name after the command.');
    const { id, name: from } = organisation;
    const { limits } = changes;
    const name = await this.#newName(id, changes.name);
    const timeZone = changes.timeZone == null ? changes.timeZone : checkTimeZone(changes.timeZone);
    if (limits) {
      checkLimits({ ...organisation.limits, ...limits });
      if (this.actor.accountId !== null) await checkOwnersLimits(this.store, organisation, limits);
    }
    const entry = (act: string, details: Readonly<Record<string, unknown>>) =>
      this.auditEntry(`organisation.${act}`, id, id, details);
    const sheets = changes.sheets && (await this.#changedSheets(id, changes.sheets));
    const setBy = limits && (await limitsSetBy(this.store, id, this.actor));
    const audit = [
      ...(name === undefined ? [] : [entry('rename', { from, to: name })]),
      ...(limits ? [entry('limits', limits)] : []),
      ...(changes.eventsMax === undefined
        ? []
        : [entry('limits', { eventsMax: changes.eventsMax })]),
      ...(timeZone === undefined ? [] : [entry('time_zone', { timeZone })]),
      sheets?.auditEntry,
    ].filter((one) => one !== undefined);
    const eventsMax = await this.#changedEventsMax(id, changes.eventsMax);
    const documents = [sheets?.document, setBy, eventsMax].filter((one) => one !== undefined);
    const after = changedOrganisation(organisation, { name, timeZone, limits });
    const records = [{ kind: 'organisation', before: organisation, after }] as const;
    await this.store.write({ records, documents, audit });
    return after;
  }

  async #changedEventsMax(id: string, eventsMax: number | undefined) {
    if (eventsMax === undefined) return undefined;
    const revision = (await this.store.read('events-max', id))?.revision ?? 0;
    return { kind: 'events-max', id, revision, value: eventsMax } as const;
  }

  /** @throws TicketscanError `usage`, `conflict` for the name of another organisation */
  async #newName(id: string, wanted: string | undefined): Promise<string | undefined> {
    if (wanted === undefined) return undefined;
    const name = checkedName(wanted);
    refuseSameName('organisation', { id, name }, await this.store.list('organisation'));
    return name;
  }

  #changedSheets(id: string, changes: Partial<SheetSettings>) {
    return new SheetAdministration(this.store, this.clock, this.actor).changed(id, changes);
  }

  /** Who could no longer sign in without the organisation. */
  async accountsOf({ id }: Organisation): Promise<AccountRecord[]> {
    return accountsOf(this.store, id);
  }

  async deleteOrganisation({ id }: Organisation, withAccounts = false): Promise<void> {
    const accounts = await again(() => this.#delete(id, withAccounts));
    for (const account of accounts) await endCredentials(this.store, account.id);
  }

  /** @returns the accounts that went with it */
  async #delete(id: string, withAccounts: boolean): Promise<readonly AccountRecord[]> {
    const before = await this.store.read('organisation', id);
    if (!before) throw notFound('organisation', id);
    const { name } = before;
    const { accounts, unchanged } = withAccounts
      ? await leavingAccounts(this.store, id)
      : NO_ACCOUNTS;
    const searchedTo = await refuseLogged(this.store, 'organisation', { organisationId: id });
    const names = accounts.map((account) => account.name);
    const details = { name, ...(names.length > 0 && { accounts: names }) };
    // The organisation is gone afterwards: the entry belongs to the store as a whole.
    const audit = [this.auditEntry('organisation.delete', id, null, details)];
    const records = [{ kind: 'organisation', before, after: null }] as const;
    await this.store.write({ records, searchedTo, unchanged, audit });
    return accounts;
  }

  /**
   * Deletes it with its events, tickets, keys and accounts: from now on no scan of a ticket of its is admitted. `finishDeletions`
   * removes what is left of it. @throws TicketscanError `not_found`, `conflict` as `leavingAccounts` does
   */
  async deleteOrganisationWithTickets({ id, name, timeZone }: Organisation): Promise<void> {
    const { accounts, unchanged } = await leavingAccounts(this.store, id);
    const names = accounts.map((account) => account.name);
    const details = { name, ...(names.length > 0 && { accounts: names }) };
    const ended = this.auditEntry('organisation.deleted', id, null, { name });
    const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    await this.store.beginDeletion(
      { what: 'organisation', id, name, timeZone: zone, accounts: unchanged, ended },
      this.auditEntry('organisation.delete_with_tickets', id, null, details),
    );
    for (const account of accounts) await endCredentials(this.store, account.id);
  }

  /** The organisation with that id or name, or the only one. @throws TicketscanError `not_found`, `usage` when unclear */
  async findOrganisation(
    nameOrId: string | undefined,
    how = 'Add --organisation NAME.',
  ): Promise<Organisation> {
    const byId =
      nameOrId === undefined ? undefined : await this.store.read('organisation', nameOrId);
    if (byId) return byId;
    const all = await this.store.list('organisation');
    if (nameOrId !== undefined) {
      return findNamed('organisation', nameOrId, all);
    }
    const own = all.filter(({ sampleNeighbour }) => !sampleNeighbour);
    const [only, ...others] = own.length > 0 ? own : all;
    if (!only)
      throw new TicketscanError(
        'not_found',
        'No organisation exists yet. The first event creates one: ticketscan events create --name NAME',
      );
    if (others.length > 0) {
      throw new TicketscanError('usage', `Which organisation? ${how}${listed(all)}`);
    }
    return only;
  }

  /** The only organisation; in an empty store it is made. @throws TicketscanError `usage` when there are several */
  onlyOrganisation(): Promise<Organisation> {
    return this.ownerNamed(undefined);
  }

  /** The oldest organisation; in an empty store it is made. */
  async firstOrganisation(): Promise<Organisation> {
    const [first] = await this.store.list('organisation', { limit: 1 });
    return first ?? this.createOrganisation(UNNAMED_ORGANISATION);
  }

  /** In a store without organisations, the first event or key creates one. */
  protected async ownerNamed(organisation: string | undefined): Promise<Organisation> {
    const isFirst =
      organisation === undefined &&
      (await this.store.list('organisation', { limit: 1 })).length === 0;
    return isFirst
      ? this.createOrganisation(UNNAMED_ORGANISATION)
      : this.findOrganisation(organisation);
  }

  protected auditEntry(
    act: string,
    subject: string,
    organisationId: string | null,
    details: Readonly<Record<string, unknown>> = {},
  ): NewAuditLogEntry {
    return auditEntryOf(this.actor, this.clock, { act, subject, organisationId, details });
  }

  protected recordId(prefix: string): string {
    return `${prefix}_${randomText(BASE36, RECORD_ID_CHARACTERS, this.random)}`;
  }
}
