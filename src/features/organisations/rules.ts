import {
  type AdministrativeRecord,
  UNNAMED_ORGANISATION,
} from '../../core/administrative-records.ts';
import { checkedName } from '../../core/checked-name.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../../core/limits.ts';
import {
  changedOrganisation,
  type Organisation,
  type OrganisationEdit,
  type SheetSettings,
} from '../../core/records.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { notFound } from '../../stores/store-errors.ts';
import {
  type AccountRecord,
  accountsOf,
  endCredentials,
  type LeavingAccounts,
  leavingAccounts,
} from '../accounts/account-records.ts';
import { auditEntryBy, type RuleDeps } from '../actor.ts';
import { refuseLogged } from '../log/log-reader.ts';
import {
  again,
  checkLimits,
  findNamed,
  listed,
  makeRecordId,
  refuseSameName,
} from '../record-checks.ts';
import { changedGuestSearch } from './guest-search.ts';
import { changedInsideFrom } from './inside-from.ts';
import { checkOwnersLimits, limitsSetBy } from './owners-limits.ts';
import { SheetAdministration } from './sheet-settings.ts';

const NO_ACCOUNTS: LeavingAccounts = { accounts: [], unchanged: [] };

/** The optional settings of a new organisation. */
interface MoreOfOrganisation {
  readonly timeZone?: string | undefined;
  readonly sampleNeighbour?: true;
}

/** The actions of people on organisations. */
export class OrganisationRules {
  readonly #deps: RuleDeps;

  constructor(deps: RuleDeps) {
    this.#deps = deps;
  }

  /** @throws TicketscanError `conflict` when the name is taken, `usage` for a name or limit that cannot be */
  async create(
    name: string,
    limits: OrganisationLimits = DEFAULT_LIMITS,
    { timeZone, sampleNeighbour }: MoreOfOrganisation = {},
  ): Promise<Organisation> {
    checkLimits(limits);
    const organisation: Organisation = {
      id: makeRecordId('org', this.#deps.random),
      name: checkedName(name),
      limits,
      ...(timeZone !== undefined && { timeZone: checkTimeZone(timeZone) }),
      ...(sampleNeighbour && { sampleNeighbour }),
      createdAt: this.#deps.clock.now(),
    };
    refuseSameName('organisation', organisation, await this.#deps.store.list('organisation'));
    const { id, name: chosen } = organisation;
    await this.#deps.store.write({
      records: [{ kind: 'organisation', before: null, after: organisation }],
      audit: [auditEntryBy(this.#deps, 'organisation.create', id, id, { name: chosen, limits })],
    });
    return organisation;
  }

  /**
   * Changes all of the given members, or none.
   * @throws TicketscanError `not_found`, `conflict` for a taken name, `usage`, `not_allowed` for limits that an account may not change
   */
  async edit(nameOrId: string | undefined, changes: OrganisationEdit): Promise<Organisation> {
    return again(() => this.#edit(nameOrId, changes));
  }

  async #edit(nameOrId: string | undefined, changes: OrganisationEdit): Promise<Organisation> {
    const organisation = await this.find(nameOrId, 'Give its name after the command.');
    const { id, name: from } = organisation;
    const { limits } = changes;
    const name = await this.#newName(id, changes.name);
    const timeZone = changes.timeZone == null ? changes.timeZone : checkTimeZone(changes.timeZone);
    if (limits) {
      checkLimits({ ...organisation.limits, ...limits });
      if (this.#deps.actor.accountId !== null)
        await checkOwnersLimits(this.#deps.store, organisation, limits);
    }
    const entry = (act: string, details: Readonly<Record<string, unknown>>) =>
      auditEntryBy(this.#deps, `organisation.${act}`, id, id, details);
    const sheets = changes.sheets && (await this.#changedSheets(id, changes.sheets));
    const setBy = limits && (await limitsSetBy(this.#deps.store, id, this.#deps.actor));
    const audit = [
      ...(name === undefined ? [] : [entry('rename', { from, to: name })]),
      ...(limits ? [entry('limits', limits)] : []),
      ...(changes.eventsMax === undefined
        ? []
        : [entry('limits', { eventsMax: changes.eventsMax })]),
      ...(timeZone === undefined ? [] : [entry('time_zone', { timeZone })]),
      ...(changes.scannersFindGuests === undefined
        ? []
        : [entry('guest_search', { scannersFindGuests: changes.scannersFindGuests })]),
      ...(changes.insideFrom === undefined
        ? []
        : [entry('inside_from', { insideFrom: changes.insideFrom })]),
      sheets?.auditEntry,
    ].filter((one) => one !== undefined);
    const administrative = [sheets?.record, setBy, ...(await this.#changedSettings(id, changes))];
    const after = changedOrganisation(organisation, { name, timeZone, limits });
    const records = [{ kind: 'organisation', before: organisation, after }] as const;
    const written = administrative.filter((one) => one !== undefined);
    await this.#deps.store.write({ records, administrative: written, audit });
    return after;
  }

  /** The settings that have a record of their own. */
  async #changedSettings(
    id: string,
    { eventsMax, scannersFindGuests, insideFrom }: OrganisationEdit,
  ) {
    const { store } = this.#deps;
    const settings: AdministrativeRecord[] = [];
    if (eventsMax !== undefined) {
      const revision = (await store.read('events-max', id))?.revision ?? 0;
      settings.push({ kind: 'events-max', id, revision, value: eventsMax });
    }
    if (scannersFindGuests !== undefined) {
      settings.push(await changedGuestSearch(store, id, scannersFindGuests));
    }
    if (insideFrom !== undefined) {
      settings.push(await changedInsideFrom(store, id, insideFrom));
    }
    return settings;
  }

  /** @throws TicketscanError `usage`, `conflict` for the name of another organisation */
  async #newName(id: string, wanted: string | undefined): Promise<string | undefined> {
    if (wanted === undefined) return undefined;
    const name = checkedName(wanted);
    refuseSameName('organisation', { id, name }, await this.#deps.store.list('organisation'));
    return name;
  }

  #changedSheets(id: string, changes: Partial<SheetSettings>) {
    return new SheetAdministration(this.#deps.store, this.#deps.clock, this.#deps.actor).changed(
      id,
      changes,
    );
  }

  /** Returns the accounts that could no longer sign in without the organisation. */
  async accountsOf({ id }: Organisation): Promise<AccountRecord[]> {
    return accountsOf(this.#deps.store, id);
  }

  async delete({ id }: Organisation, withAccounts = false): Promise<void> {
    const accounts = await again(() => this.#delete(id, withAccounts));
    for (const account of accounts) await endCredentials(this.#deps.store, account.id);
  }

  /** @returns the accounts that went with it */
  async #delete(id: string, withAccounts: boolean): Promise<readonly AccountRecord[]> {
    const before = await this.#deps.store.read('organisation', id);
    if (!before) throw notFound('organisation', id);
    const { name } = before;
    const { accounts, unchanged } = withAccounts
      ? await leavingAccounts(this.#deps.store, id)
      : NO_ACCOUNTS;
    const searchedTo = await refuseLogged(this.#deps.store, 'organisation', { organisationId: id });
    const names = accounts.map((account) => account.name);
    const details = { name, ...(names.length > 0 && { accounts: names }) };
    // The organisation is gone afterwards: the entry belongs to the store as a whole.
    const audit = [auditEntryBy(this.#deps, 'organisation.delete', id, null, details)];
    const records = [{ kind: 'organisation', before, after: null }] as const;
    await this.#deps.store.write({ records, searchedTo, unchanged, audit });
    return accounts;
  }

  /**
   * Deletes it with its events, tickets, keys and accounts: from now on no scan of a ticket of its is admitted. `finishDeletions`
   * removes what is left of it. @throws TicketscanError `not_found`, `conflict` as `leavingAccounts` does
   */
  async deleteWithTickets({ id, name, timeZone }: Organisation): Promise<void> {
    const { accounts, unchanged } = await leavingAccounts(this.#deps.store, id);
    const names = accounts.map((account) => account.name);
    const details = { name, ...(names.length > 0 && { accounts: names }) };
    const ended = auditEntryBy(this.#deps, 'organisation.deleted', id, null, { name });
    const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    await this.#deps.store.beginDeletion(
      { what: 'organisation', id, name, timeZone: zone, accounts: unchanged, ended },
      auditEntryBy(this.#deps, 'organisation.delete_with_tickets', id, null, details),
    );
    for (const account of accounts) await endCredentials(this.#deps.store, account.id);
  }

  /** The organisation with that id or name, or the only one. @throws TicketscanError `not_found`, `usage` when unclear */
  async find(
    nameOrId: string | undefined,
    how = 'Add --organisation NAME.',
  ): Promise<Organisation> {
    const byId =
      nameOrId === undefined ? undefined : await this.#deps.store.read('organisation', nameOrId);
    if (byId) return byId;
    const all = await this.#deps.store.list('organisation');
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
  only(): Promise<Organisation> {
    return this.ownerNamed(undefined);
  }

  /** The oldest organisation; in an empty store it is made. */
  async first(): Promise<Organisation> {
    const [first] = await this.#deps.store.list('organisation', { limit: 1 });
    return first ?? this.create(UNNAMED_ORGANISATION);
  }

  /** The organisation of a new event or key: in a store without organisations, it creates one. @throws as `find` does */
  async ownerNamed(organisation: string | undefined): Promise<Organisation> {
    const isFirst =
      organisation === undefined &&
      (await this.#deps.store.list('organisation', { limit: 1 })).length === 0;
    return isFirst ? this.create(UNNAMED_ORGANISATION) : this.find(organisation);
  }
}
