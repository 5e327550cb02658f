import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../../core/limits.ts';
import type { Organisation } from '../../core/records.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { BASE36, type RandomBytes, randomText } from '../../kit/random.ts';
import type { LogStore } from '../stores/log-store.ts';
import type { RecordStore } from '../stores/record-store.ts';
import type { AccountRecord } from './accounts/account-records.ts';
import { endCredentials } from './accounts/end-credentials.ts';
import {
  accountsOf,
  type LeavingAccounts,
  leavingAccounts,
} from './accounts/organisation-accounts.ts';
import { type Actor, auditEntryOf, COMMAND_LINE } from './actor.ts';
import { checkedName, checkLimits, listed, unknownNamed } from './record-checks.ts';
import { refuseLogged } from './refuse-logged.ts';
import { isSampleNeighbour } from './sample-neighbour.ts';

const NO_ACCOUNTS: LeavingAccounts = { accounts: [], unchanged: [] };
const RECORD_ID_CHARACTERS = 10;
const DEFAULT_ORGANISATION = 'Default';

/** What the administration needs of a store; only what is deleted must be searched for in the log. */
export type AdministeredStore = RecordStore & Pick<LogStore, 'searchLog'>;

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
  ): Promise<Organisation> {
    checkLimits(limits);
    const organisation: Organisation = {
      id: this.recordId('org'),
      name: checkedName(name),
      limits,
      createdAt: this.clock.now(),
    };
    const { id, name: chosen } = organisation;
    await this.store.createOrganisation(
      organisation,
      this.auditEntry('organisation.create', id, id, { name: chosen, limits }),
    );
    return organisation;
  }

  /** Changes some limits. @throws TicketscanError `not_found`, `usage` */
  async editLimits(
    nameOrId: string | undefined,
    changes: Partial<OrganisationLimits>,
  ): Promise<Organisation> {
    const organisation = await this.findOrganisation(nameOrId, 'Give its name after the command.');
    const limits = { ...organisation.limits, ...changes };
    checkLimits(limits);
    const { id } = organisation;
    await this.store.setOrganisationLimits(
      id,
      limits,
      this.auditEntry('organisation.limits', id, id, changes),
    );
    return { ...organisation, limits };
  }

  /** Sets where its gates are. @param timeZone an IANA name; null for none @throws TicketscanError `not_found`, `usage` */
  async editTimeZone(nameOrId: string | undefined, timeZone: string | null): Promise<Organisation> {
    const { timeZone: _before, ...organisation } = await this.findOrganisation(nameOrId);
    const { id } = organisation;
    const zone = timeZone === null ? null : checkTimeZone(timeZone);
    const auditEntry = this.auditEntry('organisation.time_zone', id, id, { timeZone: zone });
    await this.store.setOrganisationTimeZone(id, zone, auditEntry);
    return zone === null ? organisation : { ...organisation, timeZone: zone };
  }

  /** @throws TicketscanError `not_found`, `conflict` for a taken name, `usage` */
  async renameOrganisation(nameOrId: string | undefined, name: string): Promise<Organisation> {
    const organisation = await this.findOrganisation(nameOrId, 'Give its name after the command.');
    const { id, name: from } = organisation;
    const auditEntry = this.auditEntry('organisation.rename', id, id, { from, to: name });
    await this.store.renameOrganisation(id, checkedName(name), auditEntry);
    return { ...organisation, name };
  }

  /** Who could no longer sign in without the organisation. */
  async accountsOf({ id }: Organisation): Promise<AccountRecord[]> {
    return accountsOf(this.store, id);
  }

  async deleteOrganisation({ id, name }: Organisation, withAccounts = false): Promise<void> {
    const { accounts, unchanged } = withAccounts
      ? await leavingAccounts(this.store, id)
      : NO_ACCOUNTS;
    const searchedTo = await refuseLogged(this.store, 'organisation', { organisationId: id });
    const names = accounts.map((account) => account.name);
    const details = { name, ...(names.length > 0 && { accounts: names }) };
    // The organisation is gone afterwards: the entry belongs to the store as a whole.
    const auditEntry = this.auditEntry('organisation.delete', id, null, details);
    await this.store.deleteOrganisation(id, searchedTo, auditEntry, unchanged);
    for (const account of accounts) await endCredentials(this.store, account.id);
  }

  /** The organisation with that id or name, or the only one. @throws TicketscanError `not_found`, `usage` when unclear */
  async findOrganisation(
    nameOrId: string | undefined,
    how = 'Add --organisation NAME.',
  ): Promise<Organisation> {
    const all = await this.store.listOrganisations();
    if (nameOrId !== undefined) {
      const found = all.find(({ id, name }) => id === nameOrId || name === nameOrId);
      if (found) return found;
      throw unknownNamed('organisation', nameOrId, all);
    }
    const own = all.filter((one) => !isSampleNeighbour(one));
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
    const [first] = await this.store.listOrganisations();
    return first ?? this.createOrganisation(DEFAULT_ORGANISATION);
  }

  /** In a store without organisations, the first event or key creates one. */
  protected async ownerNamed(organisation: string | undefined): Promise<Organisation> {
    const isFirst =
      organisation === undefined && (await this.store.listOrganisations()).length === 0;
    return isFirst
      ? this.createOrganisation(DEFAULT_ORGANISATION)
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
