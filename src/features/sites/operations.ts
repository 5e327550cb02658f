import * as z from 'zod';
import { type Home, isAskedOf, isAtSite, nameOfIncarnation } from '../../core/event-home.ts';
import { Time, TimeOrNull } from '../../core/records.ts';
import { GivenTime, Id, ListPage, Name, pagedList, slicedPage } from '../../operations/fields.ts';
import { type OperationContext, operation } from '../context.ts';
import { EventHome, homesElsewhere } from './event-homes.ts';
import { InForce, inForceOfKeys, inForceOfTickets } from './in-force.ts';
import { SiteRules } from './rules.ts';
import {
  isHeardLately,
  listSiteValues,
  readSiteValue,
  type SiteRecord,
  sitesOf,
} from './site-records.ts';

const tag = 'Sites';

const EventThere = z.object({
  id: z.string(),
  name: z.string(),
  /**
   * `leaving`: the site has not taken it yet. `away`: the site decides. `returning`: the site has not given it back yet. `asking`: the store
   * of the centre was restored or copied, and the site has not been heard since; it may have the event. `claimed`: it was heard and decides,
   * and other sites that may have a later stay of the event are still asked.
   */
  at: z.enum(['leaving', 'away', 'returning', 'asking', 'claimed']),
  /** True where another store had the token of the site then: the present one is not asked for it. */
  isOfEarlierStore: z.boolean(),
});

export const Site = z
  .object({
    id: z.string(),
    organisationId: z.string(),
    name: z.string(),
    createdAt: Time,
    /** Whether it has the secret by which TS1 codes are verified; without it, it verifies TS2 codes only. */
    withSecret: z.boolean(),
    /** When its token was taken from it; null while it is in use. */
    retiredAt: TimeOrNull,
    /** When the centre heard of it last; null before the first time. */
    heardAt: TimeOrNull,
    /** The time since which it is heard without a pause; null while it is not heard. */
    connectedSince: TimeOrNull,
    /** How far its clock is ahead, in milliseconds. */
    clockAheadMs: z.number().int().nullable(),
    /** Changes of keys, limits and settings are in force there up to this time. */
    recordsAsOf: TimeOrNull,
    /** Scans that had not come when it was heard last. */
    waiting: z.number().int().nullable(),
    events: z.array(EventThere),
  })
  .meta({ id: 'Site' });
export type Site = z.output<typeof Site>;

function rulesOf({ store, clock, random, scope }: OperationContext): SiteRules {
  return new SiteRules({ store, clock, random, actor: scope.actor });
}

async function shown(context: OperationContext, site: SiteRecord): Promise<Site> {
  const { store, clock } = context;
  const contact = (await readSiteValue(store, 'site-contact', site.id))?.value;
  const isHeard = contact !== undefined && isHeardLately(contact.heardAt, clock.now());
  const there = await rulesOf(context).eventsAt(site);
  const { id, organisationId, name, createdAt, retiredAt } = site;
  const isAsked = there.some(({ home }) =>
    isAskedOf(home, nameOfIncarnation(id, site.incarnation)),
  );
  return {
    id,
    organisationId,
    name,
    createdAt,
    withSecret: site.hasSecret,
    retiredAt,
    heardAt: contact?.heardAt ?? null,
    // What a restored store knows of its line was so when the backup was made.
    connectedSince: isHeard && retiredAt === null && !isAsked ? contact.since : null,
    clockAheadMs: contact?.aheadMs ?? null,
    recordsAsOf: contact?.recordsAsOf ?? null,
    waiting: contact?.waiting ?? null,
    events: there.flatMap(({ event, home }) => {
      if (home.at === 'centre') return [];
      const now = nameOfIncarnation(site.id, site.incarnation);
      const at = home.at === 'asking' && home.claim?.site === now ? 'claimed' : home.at;
      const isOfEarlierStore = !sitesOf(home).includes(now);
      return [{ id: event.id, name: event.name, at, isOfEarlierStore }];
    }),
  };
}

async function ownSite(context: OperationContext, id: string): Promise<SiteRecord> {
  return rulesOf(context).find(id, context.scope.organisationId);
}

export const listSites = operation({
  id: 'listSites',
  http: 'GET /sites',
  tag,
  role: 'viewer',
  summary: 'Sites, retired ones too',
  description: 'A site is a server at a venue that decides scans of events while the line is cut.',
  query: z.object(ListPage),
  answer: pagedList(Site),
  run: async (context, page) => {
    const sites = await rulesOf(context).list(context.scope.organisationId);
    const { items, next } = slicedPage(sites, page);
    return { items: await Promise.all(items.map((site) => shown(context, site))), next };
  },
});

export const getSite = operation({
  id: 'getSite',
  http: 'GET /sites/:id',
  tag,
  role: 'viewer',
  summary: 'One site',
  params: Id,
  answer: Site,
  run: async (context, { id }) => shown(context, await ownSite(context, id)),
});

export const createSite = operation({
  id: 'createSite',
  http: 'POST /sites',
  tag,
  role: 'owner',
  sessionOnly: true,
  summary: 'Create a site',
  description: 'The token is in this answer and nowhere else.',
  body: z.object({
    name: Name,
    /** Whether it gets the secret by which TS1 codes are verified: with it, codes can be made too. */
    withSecret: z.boolean().default(false),
  }),
  status: 201,
  answer: z.object({ site: Site, token: z.string() }),
  run: async (context, { name, withSecret }) => {
    const { id } = await context.scope.onlyOne();
    const { site, token } = await rulesOf(context).create(id, name, withSecret);
    return { site: await shown(context, site), token };
  },
});

export const retireSite = operation({
  id: 'retireSite',
  http: 'POST /sites/:id/retire',
  tag,
  role: 'owner',
  summary: 'Refuse the token of a site from now on',
  description: 'Its events stay where they are: free them if the site is lost.',
  params: Id,
  answer: Site,
  run: async (context, { id }) => {
    const site = await ownSite(context, id);
    await rulesOf(context).retire(site);
    return shown(context, await ownSite(context, site.id));
  },
});

export const showFreeing = operation({
  id: 'showFreeing',
  http: 'GET /sites/:id/freeing',
  tag,
  role: 'owner',
  share: 'changes',
  summary: 'What could happen if the events of a site were freed now',
  params: Id,
  answer: z.object({
    /** The events that would be decided here. */
    events: z.number().int(),
    /** Events for which other sites are asked as well: nobody would decide them yet. */
    stillAsked: z.number().int(),
    /** Events that another site has: it would go on with them. */
    atOthers: z.number().int(),
    /** How many uses may be admitted twice: those that tickets have left, as far as is known here. */
    uses: z.number().int(),
  }),
  run: async (context, { id }) => {
    const site = await ownSite(context, id);
    const rules = rulesOf(context);
    const { events, stillAsked, atOthers } = apart(await rules.freedBy(site));
    return {
      events: events.length,
      stillAsked: stillAsked.length,
      atOthers: atOthers.length,
      uses: await rules.usesAtRisk(site),
    };
  },
});

export const freeSite = operation({
  id: 'freeSite',
  http: 'POST /sites/:id/free',
  tag,
  role: 'owner',
  share: 'changes',
  summary: 'Take the events of a lost site',
  description:
    'They are decided here from now on, though the site may still decide them: as many uses as `uses` says may be admitted twice. Scans that it sends later are kept and flagged.',
  params: Id,
  answer: z.object({
    /** The ids of the events that are decided here from now on. */
    events: z.array(z.string()),
    /** The ids of those for which other sites are asked as well: nobody decides them yet. */
    stillAsked: z.array(z.string()),
    /** The ids of those that another site has, which goes on with them. */
    atOthers: z.array(z.string()),
    uses: z.number().int(),
  }),
  run: async (context, { id }) => {
    const site = await ownSite(context, id);
    const rules = rulesOf(context);
    // Counted before: afterwards tickets are used here, and the site may still admit as many as it could before.
    const uses = await rules.usesAtRisk(site);
    return { ...apart(await rules.free(site)), uses };
  },
});

/** The ids of events that are decided here, of those for which sites are asked, and of those that another site has. */
function apart(events: Awaited<ReturnType<SiteRules['free']>>) {
  const idsOf = (is: (home: Home) => boolean) =>
    events.filter(({ home }) => is(home)).map(({ event }) => event.id);
  return {
    events: idsOf(({ at }) => at === 'centre'),
    stillAsked: idsOf(({ at }) => at === 'asking'),
    atOthers: idsOf(isAtSite),
  };
}

const HomeJson = EventHome.extend({ event: z.string() });

export const moveEvent = operation({
  id: 'moveEvent',
  http: 'POST /events/:id/move',
  tag: 'Events',
  role: 'owner',
  summary: 'Give an event to a site, or ask it back',
  description:
    'It is decided here no more when this is answered, and at the site when that has its tickets. Asked back, it is decided here when the site has closed it and all of its scans are here.',
  params: Id,
  body: z.object({
    /** The id of a site, or `centre`. */
    to: z.string().min(1).max(100),
  }),
  answer: HomeJson,
  run: async (context, { id, to }) => {
    const event = await context.scope.event(id);
    const rules = rulesOf(context);
    if (to === 'centre') {
      await rules.askBack(event);
    } else {
      const site = await rules.find(to, event.organisationId);
      await rules.giveTo(event, site);
    }
    return homeShown(context, event.id);
  },
});

async function homeShown(
  { store }: OperationContext,
  event: string,
): Promise<z.output<typeof HomeJson>> {
  const homeOf = await homesElsewhere(store);
  return { event, ...(homeOf(event) ?? { at: 'centre', site: null }) };
}

export const SiteStatus = z
  .object({
    /** Null for a store that is no site. */
    site: z.object({ id: z.string(), name: z.string(), centre: z.string() }).nullable(),
    heardAt: TimeOrNull,
    /** When the centre was heard last, if that is so long ago that there is no line; else null. */
    noLineSince: TimeOrNull,
    clockAheadMs: z.number().int().nullable(),
    recordsAsOf: TimeOrNull,
    /** Scans that the centre does not have. */
    waiting: z.number().int(),
    /**
     * Whether the gates stand still, because the centre was not heard for longer than `--max-age` allows; null where the store was asked
     * and no server.
     */
    standsStill: z.boolean().nullable(),
    events: z.array(z.object({ id: z.string(), name: z.string(), isDecidedHere: z.boolean() })),
  })
  .meta({ id: 'SiteStatus' });
export type SiteStatus = z.output<typeof SiteStatus>;

export const getSiteStatus = operation({
  id: 'getSiteStatus',
  http: 'GET /site-status',
  tag,
  role: 'scanner',
  summary: 'What this site knows of its centre',
  answer: SiteStatus,
  run: async ({ store, clock, server }) => {
    const of = (await readSiteValue(store, 'site-of', 'centre'))?.value;
    const nothing = {
      heardAt: null,
      noLineSince: null,
      clockAheadMs: null,
      recordsAsOf: null,
      waiting: 0,
      standsStill: server ? server.service().whyNot !== undefined : null,
      events: [],
    };
    if (!of) return { site: null, ...nothing };
    const progress = (await readSiteValue(store, 'site-progress', 'centre'))?.value;
    const heardAt = progress?.heardAt ?? null;
    const { newest } = await store.searchLog({ limit: 1, searchMax: 1 });
    const sent = (await readSiteValue(store, 'site-rows', 'sent'))?.value.number ?? 0;
    const held = new Map(
      (await listSiteValues(store, 'event-home')).map(({ id, value }) => [id, value.held]),
    );
    const events = await store.list('event');
    return {
      ...nothing,
      site: { id: of.siteId, name: of.name, centre: of.url },
      heardAt,
      noLineSince: heardAt === null || isHeardLately(heardAt, clock.now()) ? null : heardAt,
      clockAheadMs: progress?.aheadMs ?? null,
      recordsAsOf: progress?.recordsAsOf ?? null,
      waiting: Math.max(0, newest - sent),
      events: events.map(({ id, name }) => ({
        id,
        name,
        isDecidedHere: held.get(id)?.isOpen === true,
      })),
    };
  },
});

/** The most characters of ids in an address. */
const IDS_CHARACTERS_MAX = 4000;

export const getInForce = operation({
  id: 'getInForce',
  http: 'GET /in-force',
  tag,
  role: 'viewer',
  summary: 'At which sites a change is in force by now',
  description:
    'Answers of changes have it as `inForce` where a site needs them. To ask again, give its `tickets`; for a change of keys, where it has none, its `at` and the ids of its `sites`.',
  query: z.object({
    /** Ids of tickets, separated by commas: their latest change. */
    tickets: z.string().max(IDS_CHARACTERS_MAX).optional(),
    /** Ids of sites, separated by commas: changes of keys that were made by `at`. */
    sites: z.string().max(IDS_CHARACTERS_MAX).optional(),
    at: GivenTime.optional(),
  }),
  answer: InForce,
  run: async ({ store, scope, clock }, { tickets, sites, at = clock.now() }) => {
    const own = await scope.ownTickets(idsIn(tickets));
    const found =
      own.length > 0
        ? await inForceOfTickets(
            store,
            own.map(({ id }) => id),
          )
        : await inForceOfKeys(store, at, scope.organisation?.id, idsIn(sites));
    return found ?? { at, tickets: [], sites: [] };
  },
});

function idsIn(text = ''): string[] {
  return text.split(',').filter((id) => id !== '');
}
