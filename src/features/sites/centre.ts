import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashApiKey, isWellFormedSiteToken } from '../../core/api-key.ts';
import type { Clock } from '../../core/clock.ts';
import { TicketscanError, undefinedOnConflict } from '../../core/errors.ts';
import {
  type Home,
  heard,
  isAtSite,
  nameOfIncarnation,
  stayOf,
  wishOf,
} from '../../core/event-home.ts';
import { logEntryFromView } from '../../core/records.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import type { Store } from '../../stores/store.ts';
import { ofOrganisation } from '../typed-records.ts';
import { keptBy, settledBy } from './asked-events.ts';
import { lastRowOf } from './last-row.ts';
import { recordsFor } from './records-for-sites.ts';
import { keepRefusals } from './refusals-of-sites.ts';
import { RowKeeper } from './row-keeper.ts';
import { noteContact, noteRows } from './site-contacts.ts';
import {
  elsewhereOf,
  listSiteValues,
  nameOfSite,
  readSiteValue,
  type SiteRecord,
} from './site-records.ts';
import {
  type FeedAnswer,
  type FeedQuestion,
  type LastRow,
  type RowsKept,
  type RowsSent,
  TICKETS_AT_ONCE,
  type TicketsQuestion,
} from './wire.ts';

interface CentreDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyring: () => Keyring;
}

/** A site with the revision of its record. */
export interface KnownSite {
  readonly site: SiteRecord;
  readonly revision: number;
}

/** An event whose home is the site. */
interface EventThere {
  readonly id: string;
  readonly home: Home;
  readonly revision: number;
}

/** The pause between two looks for something new. */
const LOOK_MS = 500;
/** Settings and keys are read again after this time. */
const RECORDS_LOOK_MS = 2000;
/** The centre, as sites speak to it. What they send is checked as anything that a stranger sends. */
export class Centre {
  readonly #deps: CentreDeps;

  constructor(deps: CentreDeps) {
    this.#deps = deps;
  }

  /** The site with this token. @throws TicketscanError `not_allowed` for any other text, and for a site that was retired */
  async siteOf(token: string | undefined): Promise<KnownSite> {
    const { store } = this.#deps;
    if (token === undefined || !isWellFormedSiteToken(token)) throw refused();
    const found = await readSiteValue(store, 'site-token', hashApiKey(token));
    if (!found) throw refused();
    return this.#refuseRetired(found.value.siteId);
  }

  async #refuseRetired(siteId: string): Promise<KnownSite> {
    const stored = await readSiteValue(this.#deps.store, 'site', siteId);
    if (!stored || stored.value.retiredAt !== null) throw refused();
    return { site: stored.value, revision: stored.revision };
  }

  /** Hears what a site has, and answers what it is to do and what is new, at once or when there is something. */
  async feed(
    known: KnownSite,
    question: FeedQuestion,
    isGone: () => boolean = () => false,
  ): Promise<FeedAnswer> {
    const { clock } = this.#deps;
    refuseOtherSite(known.site, question);
    const site = await this.#withIncarnation(known, question.incarnation);
    const until = clock.monotonicMs() + question.waitSeconds * 1000;
    await noteContact(this.#deps, site, question);
    await this.#noteDevices(site, question);
    await this.#hear(site, question);
    const refusals = await keepRefusals(this.#deps.store, clock, site, question);
    let asOf = clock.now();
    let records = await this.#recordsFor(site, question);
    let recordsAt = clock.monotonicMs();
    for (;;) {
      const answer = await this.#answer(site, question, {
        records,
        recordsAsOf: asOf,
        refusals,
      });
      const isNews =
        answer.records !== null ||
        answer.changes.length > 0 ||
        answer.feed !== question.feed ||
        isUnmet(answer.wishes, question.held);
      if (isNews || clock.monotonicMs() >= until || isGone()) return answer;
      await sleep(LOOK_MS);
      await this.#refuseRetired(site.id);
      if (clock.monotonicMs() - recordsAt < RECORDS_LOOK_MS) continue;
      asOf = clock.now();
      records = await this.#recordsFor(site, question);
      recordsAt = clock.monotonicMs();
    }
  }

  /**
   * Keeps rows of the log of a site, in their order, each once.
   * @returns the last row that is here, and how it is recognised
   * @throws TicketscanError `usage` for rows that no site of this organisation can have
   */
  async keepRows({ site }: KnownSite, sent: RowsSent): Promise<RowsKept> {
    const { store, clock } = this.#deps;
    const { incarnation, rows, scanners, waiting } = sent;
    const keeper = new RowKeeper(store, clock, site);
    const name = nameOfIncarnation(site.id, incarnation);
    const before = await this.#storedOf(name);
    const known = await this.#lastOf(site, incarnation);
    const again = rows.find(({ entry }) => entry.sequence === known?.number);
    // Those of a copy would be taken for rows that are here.
    if (known && again && lastRowOf(logEntryFromView(again.entry)).mark !== known.mark)
      return { stored: before, last: known };
    const stored = await keeper.keep(name, rows, scanners);
    const newest = rows.at(-1)?.entry;
    const isNew = newest?.sequence === stored && stored > before;
    const last = isNew ? lastRowOf(logEntryFromView(newest)) : undefined;
    await noteRows(this.#deps, site, { incarnation, waiting }, last);
    return { stored, last: last ?? known };
  }

  /** The last row of a store of a site that is here. @param name of the site with its incarnation */
  async #storedOf(name: string): Promise<number> {
    return (await readSiteValue(this.#deps.store, 'site-rows', name))?.value.number ?? 0;
  }

  async #lastOf({ id }: SiteRecord, incarnation: string): Promise<LastRow | null> {
    const contact = (await readSiteValue(this.#deps.store, 'site-contact', id))?.value;
    return contact?.incarnation === incarnation ? contact.last : null;
  }

  /** A page of the tickets of an event that goes to the site, in the stay that it asks about. */
  async ticketsFor(known: KnownSite, { incarnation, event, epoch, after }: TicketsQuestion) {
    const { store } = this.#deps;
    const there = await this.#eventsThere(known.site, incarnation);
    if (!there.some(({ id, home }) => id === event && stayOf(home)?.epoch === epoch))
      throw new TicketscanError('not_found', `Event ${event} is not at this site.`);
    const newestChange = await store.newestSiteChange();
    const tickets = await store.listTickets({
      eventId: event,
      limit: TICKETS_AT_ONCE,
      ...(after !== undefined && { afterId: after }),
    });
    const next = tickets.length < TICKETS_AT_ONCE ? null : (tickets.at(-1)?.id ?? null);
    return { tickets, next, newestChange, feed: await this.#feedId() };
  }

  /** The first store that comes with the token is the site; another one takes its place, without its events. */
  async #withIncarnation({ site, revision }: KnownSite, incarnation: string): Promise<SiteRecord> {
    if (site.incarnation === incarnation) return site;
    // The store that another one took the place of: it may still decide its events, and gives them back.
    if (site.earlier.includes(incarnation)) return site;
    const { store } = this.#deps;
    const earlier = site.incarnation === null ? [] : [site.incarnation];
    const now: SiteRecord = { ...site, incarnation, earlier: [...site.earlier, ...earlier] };
    const [before, after] = [site.incarnation, incarnation].map((one) =>
      nameOfIncarnation(site.id, one),
    );
    // Events that wait for the first contact are this one's. Those of an earlier store stay that one's until a person frees them.
    const homes = await listSiteValues(store, 'event-home', ofOrganisation(site.organisationId));
    const waiting = homes.flatMap(({ id, revision: at, value }) => {
      const home =
        site.incarnation === null ? named(value.home, String(before), String(after)) : undefined;
      if (home === undefined) return [];
      const moved = { ...value, home };
      return [{ kind: 'event-home' as const, id, revision: at, value: moved }];
    });
    await store.write({
      administrative: [{ kind: 'site', id: site.id, revision, value: now }, ...waiting],
      audit: [
        {
          at: this.#deps.clock.now(),
          organisationId: site.organisationId,
          accountId: null,
          by: `site "${site.name}"`,
          act: 'site.connect',
          subject: site.id,
          details: { name: site.name, again: site.incarnation !== null },
        },
      ],
    });
    return now;
  }

  async #noteDevices(site: SiteRecord, { contacts }: FeedQuestion): Promise<void> {
    if (contacts.length === 0) return;
    const { store, clock } = this.#deps;
    const keys = new Map(
      (await store.list('key', { organisationId: site.organisationId })).map((key) => [
        key.id,
        key,
      ]),
    );
    const requests = contacts.flatMap(({ keyId, at, clock: shown, ...contact }) => {
      const key = keys.get(keyId);
      if (!key) return [];
      const said = { ...contact, ...(shown !== null && { clock: shown }) };
      const now = Math.min(at, clock.now());
      const rotation = key.rotations ?? 0;
      return [{ kind: 'heartbeat' as const, keyId, now, rotation, contact: said }];
    });
    if (requests.length > 0) await store.commitScans(requests);
  }

  /** Takes note of what the site has, and lets events come home. */
  async #hear(site: SiteRecord, question: FeedQuestion): Promise<void> {
    const { incarnation, held, applied, feed } = question;
    const { store, clock } = this.#deps;
    const name = nameOfIncarnation(site.id, incarnation);
    const stored = await this.#storedOf(name);
    const isFresh = feed === (await this.#feedId());
    for (const { next, ...event } of await settledBy(site, { ...question, stored, isFresh }, store))
      await this.#moveHome(site, event, next);
    const there = await this.#eventsThere(site, incarnation);
    for (const { event, epoch, isClosed, newest } of held) {
      const known = there.find(({ id }) => id === event);
      if (!known) continue;
      const next = heard(known.home, { site: name, epoch, isClosed, newest }, stored);
      if (next === known.home) continue;
      await this.#moveHome(site, known, next);
    }
    if (!isFresh || there.length === 0) return;
    await store.noteInForce(
      there.map(({ id }) => id),
      applied,
      clock.now(),
    );
  }

  async #moveHome(
    site: SiteRecord,
    { id, revision }: Pick<EventThere, 'id' | 'revision'>,
    home: Home,
  ): Promise<void> {
    const { store, clock } = this.#deps;
    const { organisationId } = site;
    const elsewhere = await elsewhereOf(store, home);
    const value = { elsewhere, organisationId, home };
    const event = await store.read('event', id);
    const isHome = !isAtSite(home);
    const entry = {
      at: clock.now(),
      organisationId,
      accountId: null,
      by: `site "${site.name}"`,
      act: isHome ? 'event.return' : 'event.arrive',
      subject: id,
      details: {
        name: event?.name ?? id,
        site: isHome ? site.name : await nameOfSite(store, home),
      },
    };
    await store.write({
      administrative: [{ kind: 'event-home', id, revision, value }],
      // That one of several sites was heard settles nothing yet.
      audit: home.at === 'asking' ? [] : [entry],
    });
    if (home.at === 'centre') await store.dropSiteChanges(id);
  }

  async #answer(
    site: SiteRecord,
    question: FeedQuestion,
    looked: Pick<FeedAnswer, 'records' | 'recordsAsOf' | 'refusals'>,
  ): Promise<FeedAnswer> {
    const { incarnation, applied, feed } = question;
    const { store, clock } = this.#deps;
    const name = nameOfIncarnation(site.id, incarnation);
    const there = await this.#eventsThere(site, incarnation);
    const feedNow = await this.#feedId();
    const newest = await store.newestSiteChange();
    const isSameFeed = feed === feedNow;
    const noted = isSameFeed
      ? await store.listSiteChanges({
          eventIds: there.map(({ id }) => id),
          after: applied,
          limit: TICKETS_AT_ONCE,
        })
      : [];
    const hasMore = noted.length === TICKETS_AT_ONCE;
    const ids = [...new Set(noted.map(({ ticketId }) => ticketId))];
    const changes = await store.findTickets(ids);
    return {
      now: clock.now(),
      site: { id: site.id, name: site.name },
      feed: feedNow,
      stored: await this.#storedOf(name),
      last: await this.#lastOf(site, incarnation),
      wishes: [
        ...there.flatMap(({ id: event, home }) => {
          const wish = wishOf(home);
          return wish ? [{ event, epoch: wish.epoch, kind: wish.kind }] : [];
        }),
        ...(await this.#kept(site, question)),
      ],
      ...looked,
      changes: changes as unknown as FeedAnswer['changes'],
      changesTo: hasMore ? (noted.at(-1)?.sequence ?? applied) : newest,
      hasMore,
    };
  }

  async #eventsThere(site: SiteRecord, incarnation: string): Promise<EventThere[]> {
    const name = nameOfIncarnation(site.id, incarnation);
    const homes = await listSiteValues(
      this.#deps.store,
      'event-home',
      ofOrganisation(site.organisationId),
    );
    return homes.flatMap(({ id, revision, value: { home } }) => {
      return home && stayOf(home)?.site === name ? [{ id, home, revision }] : [];
    });
  }

  async #recordsFor(site: SiteRecord, question: FeedQuestion): Promise<FeedAnswer['records']> {
    const there = await this.#eventsThere(site, question.incarnation);
    const kept = await this.#kept(site, question);
    const events = new Set([...there.map(({ id }) => id), ...kept.map(({ event }) => event)]);
    return recordsFor(this.#deps, site, events, question.digest);
  }

  /** Events that may be at the site: it keeps them until that is known. The store may be restored while the answer waits. */
  async #kept(site: SiteRecord, question: FeedQuestion): ReturnType<typeof keptBy> {
    const isFresh = question.feed === (await this.#feedId());
    return isFresh ? [] : keptBy(site, question, this.#deps.store);
  }

  /** Identifies the numbers of changes: a copied store begins others. */
  async #feedId(): Promise<string> {
    const { store } = this.#deps;
    const found = await readSiteValue(store, 'site-feed', 'centre');
    if (found) return found.value.feed;
    const value = { feed: randomBytes(8).toString('hex') };
    await store
      .write({
        administrative: [{ kind: 'site-feed', id: 'centre', revision: 0, value }],
        audit: [],
      })
      .catch(undefinedOnConflict);
    return this.#feedId();
  }
}

/** The home with the name of a site that has its first store now; undefined where the event has nothing to do with that site. */
function named(home: Home | undefined, before: string, after: string): Home | undefined {
  // A centre that was restored does not know which stores it heard since: it goes on asking for one that it does not know.
  return home && isAtSite(home) && home.site === before ? { ...home, site: after } : undefined;
}

/** @throws TicketscanError `not_allowed` for the store of another site: its rows would be taken for those of this one */
function refuseOtherSite({ id, name }: SiteRecord, { site }: FeedQuestion): void {
  if (site === '' || site === id) return;
  throw new TicketscanError(
    'not_allowed',
    `The token is that of the site "${name}", and the store is that of another site (${site}). Use the token of that one, or a new store.`,
  );
}

/** True where the site does not say yet that it did what is asked. */
function isUnmet(wishes: FeedAnswer['wishes'], held: FeedQuestion['held']): boolean {
  return wishes.some(({ event, epoch, kind }) => {
    const has = held.find((one) => one.event === event && one.epoch === epoch);
    return kind === 'take' ? !has : has?.isClosed !== true;
  });
}

function refused(): TicketscanError {
  return new TicketscanError(
    'not_allowed',
    'The token of the site is wrong, or the site was retired.',
  );
}
