import { hashApiKey, makeSiteToken } from '../../core/api-key.ts';
import { checkedName } from '../../core/checked-name.ts';
import { refuse, TicketscanError } from '../../core/errors.ts';
import {
  askedBack,
  freed,
  givenAway,
  type Home,
  nameOfIncarnation,
} from '../../core/event-home.ts';
import type { EventRecord } from '../../core/records.ts';
import { hasEnded } from '../../core/ticket.ts';
import type { Store } from '../../stores/store.ts';
import { auditEntryBy, type RuleDeps } from '../actor.ts';
import { findNamed, makeRecordId, refuseSameName } from '../record-checks.ts';
import { ofOrganisation } from '../typed-records.ts';
import {
  concerns,
  elsewhereOf,
  homeOfEvent,
  isSiteStore,
  listSiteValues,
  readSiteValue,
  type SiteRecord,
  siteIdOf,
} from './site-records.ts';

interface Deps extends RuleDeps {
  readonly store: Store;
}

interface EventWithHome {
  readonly event: EventRecord;
  readonly home: Home;
}

/** The actions of people on sites, at the centre. `core/event-home` has the protocol. */
export class SiteRules {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** The sites of an organisation, oldest first; of all where none is named. Retired ones too. */
  async list(organisationId?: string | null): Promise<SiteRecord[]> {
    const sites = await listSiteValues(this.#deps.store, 'site', ofOrganisation(organisationId));
    return sites.map(({ value }) => value).sort((a, b) => a.createdAt - b.createdAt);
  }

  /** @throws TicketscanError `not_found`, `usage` when several have the name */
  async find(nameOrId: string, organisationId?: string | null): Promise<SiteRecord> {
    return findNamed('site', nameOrId, await this.list(organisationId));
  }

  /**
   * Makes a site. Only the result has its token.
   * @param hasSecret whether it gets the secret of TS1 codes, with which codes can be made too
   * @throws TicketscanError `conflict` for a taken name, `usage`
   */
  async create(
    organisationId: string,
    name: string,
    hasSecret: boolean,
  ): Promise<{ site: SiteRecord; token: string }> {
    const { store, random, clock } = this.#deps;
    if (await isSiteStore(store))
      throw refuse('only_at_centre', {}, { detail: 'Sites are made there too.' });
    const { engine } = await store.info();
    if (engine === 'json')
      throw refuse('centre_engine', {}, { detail: 'Copy the store first: ticketscan store copy.' });
    const token = makeSiteToken(random);
    const site: SiteRecord = {
      id: makeRecordId('site', random),
      organisationId,
      name: checkedName(name),
      tokenHash: hashApiKey(token),
      hasSecret,
      createdAt: clock.now(),
      retiredAt: null,
      incarnation: null,
      earlier: [],
    };
    refuseSameName('site', site, await this.list(organisationId));
    await store.write({
      administrative: [
        { kind: 'site', id: site.id, revision: 0, value: site },
        {
          kind: 'site-token',
          id: site.tokenHash,
          revision: 0,
          value: { siteId: site.id, organisationId },
        },
      ],
      audit: [this.#auditEntry('site.create', site, { secret: hasSecret })],
    });
    return { site, token };
  }

  /** Its token is refused from now on. Its events stay where they are. @returns how many those are */
  async retire(site: SiteRecord): Promise<number> {
    const { store, clock } = this.#deps;
    const stored = await readSiteValue(store, 'site', site.id);
    if (!stored) throw new TicketscanError('not_found', `Unknown site ${site.id}.`);
    await store.write({
      administrative: [
        {
          kind: 'site',
          id: site.id,
          revision: stored.revision,
          value: { ...stored.value, retiredAt: stored.value.retiredAt ?? clock.now() },
        },
      ],
      deleted: [{ kind: 'site-token', id: site.tokenHash }],
      audit: [this.#auditEntry('site.retire', site)],
    });
    return (await this.eventsAt(site)).length;
  }

  /** The events whose home is a site, with how they stand. */
  async eventsAt(site: SiteRecord): Promise<EventWithHome[]> {
    const { store } = this.#deps;
    const homes = await listSiteValues(store, 'event-home', ofOrganisation(site.organisationId));
    const there = homes.filter(({ value }) => value.home && concerns(value.home, site.id));
    const found = await Promise.all(
      there.map(async ({ id, value }) => {
        const event = await store.read('event', id);
        return event && value.home ? [{ event, home: value.home }] : [];
      }),
    );
    return found.flat();
  }

  /** Gives an event to a site. @throws TicketscanError `conflict` where it is not at the centre, or the site is retired */
  async giveTo(event: EventRecord, site: SiteRecord): Promise<Home> {
    if (site.organisationId !== event.organisationId)
      throw new TicketscanError('not_found', `Unknown site ${site.id}.`);
    if (site.retiredAt !== null) throw refuse('site_retired', {}, { of: `"${site.name}"` });
    const name = nameOfIncarnation(site.id, site.incarnation);
    return this.#move(event, site.name, 'event.give', (home) => {
      const next = givenAway(home, name);
      if (next) return next;
      refuseAsking(event, home);
      const detail = `With: ticketscan events move "${event.name}" --to centre`;
      throw refuse('event_not_here', {}, { of: `"${event.name}"`, detail });
    });
  }

  /** Asks an event back. It is decided here when its site has closed it and every row of it is here. */
  async askBack(event: EventRecord): Promise<Home> {
    const { home } = await homeOfEvent(this.#deps.store, event.id);
    const siteId = siteIdOf(home);
    refuseAsking(event, home);
    if (siteId === undefined) throw refuse('event_here', {}, { of: `"${event.name}"` });
    if (home.at === 'returning') return home;
    const site = await this.find(siteId, event.organisationId);
    return this.#move(event, site.name, 'event.ask-back', (now) => askedBack(now) ?? now);
  }

  /** How many uses could be taken once more if the events of a site were freed now: those that are left of tickets that have not ended. */
  async usesAtRisk(site: SiteRecord): Promise<number> {
    let uses = 0;
    for (const { event } of await this.eventsAt(site)) uses += await this.#usesLeft(event.id);
    return uses;
  }

  /**
   * Takes the events of a lost site, which may still decide, and asks it no more for others.
   * @returns the events that it had or was asked for, with their homes from now on: of an event, other sites may be asked as well
   */
  async free(site: SiteRecord): Promise<EventWithHome[]> {
    const events: EventWithHome[] = [];
    for (const { event } of await this.eventsAt(site)) {
      const take = (now: Home) => freed(now, site.id) ?? now;
      const home = await this.#move(event, site.name, 'event.free', take);
      if (home.at === 'centre') await this.#deps.store.dropSiteChanges(event.id);
      events.push({ event, home });
    }
    return events;
  }

  /** The same events with the homes that they would have. */
  async freedBy(site: SiteRecord): Promise<EventWithHome[]> {
    const there = await this.eventsAt(site);
    return there.map(({ event, home }) => ({ event, home: freed(home, site.id) ?? home }));
  }

  /** How many uses the tickets of an event have left, as far as is known here. */
  async #usesLeft(eventId: string): Promise<number> {
    const { store, clock } = this.#deps;
    let [uses, afterId] = [0, undefined as string | undefined];
    for (;;) {
      const page = await store.listTickets({
        eventId,
        limit: TICKETS_AT_ONCE,
        ...(afterId !== undefined && { afterId }),
      });
      for (const ticket of page) {
        // A cancelled ticket may be reinstated here, while its site has not heard that it was cancelled.
        if (!hasEnded(ticket, clock.now())) uses += ticket.usesAllowed - ticket.usesConsumed;
      }
      afterId = page.at(-1)?.id;
      if (page.length < TICKETS_AT_ONCE) return uses;
    }
  }

  async #move(
    event: EventRecord,
    siteName: string,
    act: string,
    next: (home: Home) => Home,
  ): Promise<Home> {
    const { store } = this.#deps;
    const { home, revision } = await homeOfEvent(store, event.id);
    const after = next(home);
    const { organisationId } = event;
    const elsewhere = await elsewhereOf(store, after);
    const value = { elsewhere, organisationId, home: after };
    await store.write({
      administrative: [{ kind: 'event-home', id: event.id, revision, value }],
      audit: [
        auditEntryBy(this.#deps, act, event.id, organisationId, {
          name: event.name,
          site: siteName,
        }),
      ],
    });
    return after;
  }

  #auditEntry(act: string, site: SiteRecord, details: Readonly<Record<string, unknown>> = {}) {
    return auditEntryBy(this.#deps, act, site.id, site.organisationId, {
      name: site.name,
      ...details,
    });
  }
}

const TICKETS_AT_ONCE = 2000;

/** @throws TicketscanError `conflict` for an event that a site may have which was not heard since the store was restored */
function refuseAsking({ name }: EventRecord, home: Home): void {
  if (home.at !== 'asking') return;
  const detail =
    'Which sites are waited for: ticketscan sites list; to free one: ticketscan sites free NAME';
  throw refuse('event_asked_for', {}, { of: `"${name}"`, detail });
}
