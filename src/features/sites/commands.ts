import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { inZone, shownTime } from '../../core/time-zone.ts';
import { SECOND_MS, shownDuration } from '../../kit/durations.ts';
import { counted } from '../../kit/text.ts';
import { commandGroup } from '../../terminal/command.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { confirm } from '../../terminal/prompts.ts';
import { showResult, showTable } from '../../terminal/results.ts';
import { allPages, type DataAccess } from '../data-access.ts';
import { dataCommand, storeCommand } from '../data-command.ts';
import { findNamed } from '../record-checks.ts';
import { zoneOf } from '../time-zone.ts';
import {
  createSite,
  freeSite,
  getSiteStatus,
  listSites,
  retireSite,
  Site,
  SiteStatus,
  showFreeing,
} from './operations.ts';

const EXAMPLES = `
Examples:
  ticketscan sites create --name "Pool North"
  ticketscan events move "Summer pool" --to "Pool North"
  ticketscan serve --centre https://centre.example --site-token file:site.token      at the site
  ticketscan sites status                                                           at the site
  ticketscan sites free "Pool North"                  when the site is lost

A site is a server at a venue: it decides the scans of its events, also while the line to the centre is cut. An event has one home:
only there its scans are decided. ticketscan docs sites tells when one machine is enough, and what to do when a site burns.`;

/** `ticketscan sites`: the servers of venues, and what they have. */
export function command(io: CliIo) {
  return commandGroup(io, 'sites', {
    summary: 'Servers at venues that go on admitting while the line to the centre is cut.',
    help: EXAMPLES,
    commands: [createCommand, listCommand, showCommand, retireCommand, freeCommand, statusCommand],
  });
}

const SITE = ['<site>', 'its id or name'] as const;

/** Lists all sites, retired ones too. */
export async function allSites({ call }: Pick<DataAccess, 'call'>): Promise<Site[]> {
  return allPages((page) => call(listSites, page));
}

/** @throws TicketscanError `not_found`, `usage` when several have the name */
export async function findSite(access: Pick<DataAccess, 'call'>, nameOrId: string): Promise<Site> {
  return findNamed('site', nameOrId, await allSites(access));
}

/** What to say of a site without the secret. */
export const ONLY_TS2 = 'TS1 codes are refused at this site: it verifies TS2 codes only.';

const SECRET_GOES =
  'The site gets the secret of TS1 codes, without which it cannot verify them: whoever steals the site can make such codes. TS2 codes need no secret (--without-secret).';

const createCommand = storeCommand({
  name: 'create',
  summary: 'Create a site, and show its token once.',
  options: (command) =>
    command
      .requiredOption('--name <name>', 'the name')
      .option('--organisation <name>', 'organisation of the site; not needed if only one exists')
      .option(
        '--without-secret',
        'do not give it the secret of TS1 codes: it then verifies TS2 codes only',
      ),
  yes: true,
  json: '{"site", "token"}',
  run: async (access, { organisation, name, withoutSecret = false, ...options }) => {
    const { io, callFor, local } = access;
    // A store without tickets may have no keyring yet; a new one signs TS1 codes too.
    const keyring = await local.keyring().catch(() => undefined);
    const hasTs1 =
      keyring?.some(({ format, state }) => format === 'TS1' && state !== 'retired') !== false;
    const withSecret = hasTs1 && !withoutSecret;
    const asked = { ...options, needsYes: false, consequence: SECRET_GOES };
    if (withSecret && !(await confirm(io, asked))) return;
    const call = await callFor(organisation);
    const { site, token } = await call(createSite, { name, withSecret });
    const value = { site: json(site), token };
    const lines = [
      `Site "${site.name}" has the id ${site.id}. Its token, shown this once:`,
      '',
      `  ${token}`,
      '',
      'At the site: ticketscan serve --centre URL --site-token file:site.token',
    ];
    showResult(io, options, value, lines);
    if (withSecret) note(io, SECRET_GOES);
    else if (hasTs1) note(io, ONLY_TS2);
  },
});

const HEADS = ['ID', 'NAME', 'LINE', 'EVENTS', 'WAITING'];

const NO_SITES = 'No sites yet. Create one: ticketscan sites create --name "Pool North"';

function atASite({ name, centre }: NonNullable<SiteStatus['site']>): string {
  return `This is the site "${name}"; its centre ${centre} has the list of sites. What this site knows: ticketscan sites status`;
}

const listCommand = dataCommand({
  name: 'list',
  summary: 'List sites with their line and their events.',
  json: 'a JSON array',
  run: async (access, options) => {
    const { io } = access;
    const sites = await allSites(access);
    if (options.json) return io.out(JSON.stringify(sites.map(json), null, 2));
    if (sites.length === 0) {
      const { site } = await access.call(getSiteStatus, {});
      note(io, site ? atASite(site) : NO_SITES);
    }
    const zone = await zoneOf(access);
    const rows = sites.map((site) => [
      site.id,
      site.name,
      lineOf(site, zone),
      site.events.map(eventText).join(', '),
      site.waiting === null ? '' : String(site.waiting),
    ]);
    showTable(io, HEADS, rows);
  },
});

function eventText({ name, at, isOfEarlierStore }: Site['events'][number]): string {
  if (isOfEarlierStore) return `${name} (at an earlier store)`;
  return at === 'away' ? name : `${name} (${at})`;
}

function lineOf({ retiredAt, heardAt, connectedSince }: Site, zone: string): string {
  if (retiredAt !== null) return `retired ${shownTime(retiredAt, zone)}`;
  if (connectedSince !== null) return `since ${shownTime(connectedSince, zone)}`;
  return heardAt === null ? 'never heard' : `not since ${shownTime(heardAt, zone)}`;
}

const showCommand = dataCommand({
  name: 'show',
  summary: 'Show a site: its line, its clock, its events, and what is in force there.',
  argument: SITE,
  json: 'the site as JSON',
  run: async (access, options, nameOrId) => {
    const site = await findSite(access, nameOrId);
    const zone = await zoneOf(access);
    const lines = [
      `${site.name} (${site.id})`,
      `line                 ${lineOf(site, zone)}`,
      `clock                ${clockInWords(site.clockAheadMs)}`,
      `keys and settings    ${site.recordsAsOf === null ? 'not there yet' : `as of ${inZone(shownTime(site.recordsAsOf, zone), zone)}`}`,
      `scans waiting        ${site.waiting ?? 'unknown'}`,
      ...site.events.map((event) => `event                ${event.name}: ${stateOf(event)}`),
    ];
    showResult(access.io, options, json(site), lines);
  },
});

const STATES = {
  leaving: 'on its way there; nobody decides it yet',
  away: 'decided there',
  returning: 'coming back; the site has not given it back yet',
  asking:
    'may be there: this store was restored or copied, and the site has not been heard since; nobody decides it here',
  claimed: 'decided there, unless another site that is still asked has a later stay',
} as const;

function stateOf({ at, isOfEarlierStore }: Site['events'][number]): string {
  if (!isOfEarlierStore) return STATES[at];
  const may = at === 'asking' ? 'may be with' : 'with';
  return `${may} an earlier store of this site; if that is gone, ticketscan sites free`;
}

/** Clocks that differ by less than this count as equal. */
const CLOCKS_DIFFER_MS = 2 * SECOND_MS;

function clockInWords(aheadMs: number | null): string {
  if (aheadMs === null) return 'unknown';
  if (Math.abs(aheadMs) < CLOCKS_DIFFER_MS) return 'as here';
  const seconds = Math.round(Math.abs(aheadMs) / SECOND_MS) * SECOND_MS;
  return `${shownDuration(seconds)} ${aheadMs > 0 ? 'ahead' : 'behind'}: its times are off by that`;
}

/** What of a site that is retired is still to be done, in a sentence; empty where nothing is. */
function eventsThatStay({ events }: Site): string {
  const asked = events.filter(({ at }) => at === 'asking').length;
  const left = events.length - asked;
  const stay =
    left === 0
      ? ''
      : ` Its ${left === 1 ? 'event stays' : `${left} events stay`} there until you free the site (ticketscan sites free).`;
  const may =
    asked === 0
      ? ''
      : ` ${counted(asked, 'event')} may be there: nobody decides ${asked === 1 ? 'it' : 'them'} here until you free the site (ticketscan sites free).`;
  return stay + may;
}

const retireCommand = dataCommand({
  name: 'retire',
  summary: 'Refuse the token of a site from now on, for example when it was stolen.',
  argument: SITE,
  yes: 'retire it without a question; needed where no terminal can ask',
  json: 'the site as JSON',
  run: async (access, options, nameOrId) => {
    const { io, call } = access;
    const site = await findSite(access, nameOrId);
    const rest = eventsThatStay(site);
    const consequence = `The token of the site "${site.name}" is refused from now on.${rest}`;
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    const retired = await call(retireSite, { id: site.id });
    showResult(io, options, json(retired), `The site "${site.name}" is retired.${rest}`);
  },
});

const freeCommand = dataCommand({
  name: 'free',
  summary: 'Take the events of a lost site; says how many uses may be admitted twice.',
  argument: SITE,
  yes: 'free them without a question; needed where no terminal can ask',
  json: '{"events", "stillAsked", "atOthers", "uses"}: the ids of those that are decided here, of those for which other sites are asked, of those that another site has, and how many uses may be admitted twice',
  run: async (access, options, nameOrId) => {
    const { io, call } = access;
    const site = await findSite(access, nameOrId);
    const { events, uses, ...rest } = await call(showFreeing, { id: site.id });
    if (site.events.length === 0)
      throw new TicketscanError('conflict', `The site "${site.name}" has no events.`);
    const consequence =
      `${counted(events, 'event')} of the site "${site.name}" ${events === 1 ? 'is' : 'are'} decided here from now on, though the site may still decide: ` +
      `up to ${counted(uses, 'use')} may be admitted twice. ${notHere(rest)}${insteadOfFreeing(site)}`;
    if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
    const freed = await call(freeSite, { id: site.id });
    const left = { stillAsked: freed.stillAsked.length, atOthers: freed.atOthers.length };
    showResult(
      io,
      options,
      freed,
      `${counted(freed.events.length, 'event')} freed: up to ${counted(freed.uses, 'use')} may be admitted twice. ${notHere(left)}What the site sends later is kept and flagged.`,
    );
  },
});

/** Sentences on events that are not decided here after freeing; empty where there are none. */
function notHere({ stillAsked, atOthers }: { stillAsked: number; atOthers: number }): string {
  const asked =
    stillAsked === 0
      ? ''
      : `${counted(stillAsked, 'event')} ${stillAsked === 1 ? 'waits' : 'wait'} for other sites as well: ticketscan sites list. `;
  const there =
    atOthers === 0
      ? ''
      : `${counted(atOthers, 'event')} ${atOthers === 1 ? 'goes' : 'go'} on at another site, which has said so. `;
  return asked + there;
}

/** What costs nothing where the site may come back. */
function insteadOfFreeing({ events }: Site): string {
  return events.some(({ at }) => at === 'asking')
    ? 'If the site may come back, wait until it is heard instead.'
    : 'If the site may come back, bring them home instead (ticketscan events move EVENT --to centre).';
}

const statusCommand = dataCommand({
  name: 'status',
  summary: 'At a site: say what it knows of its centre, and what waits.',
  json: 'the status as JSON',
  run: async (access, options) => {
    const status = await access.call(getSiteStatus, {});
    const { site, heardAt, clockAheadMs, recordsAsOf, waiting, standsStill, events } = status;
    if (!site)
      throw new TicketscanError(
        'usage',
        'This store is no site. At the centre: ticketscan sites list',
      );
    const zone = await zoneOf(access);
    const at = (time: number | null) =>
      time === null ? 'never' : inZone(shownTime(time, zone), zone);
    const lines = [
      `${site.name} (${site.id}), a site of ${site.centre}`,
      `heard of the centre  ${at(heardAt)}`,
      `clock                ${clockInWords(clockAheadMs)}`,
      `keys and settings    as of ${at(recordsAsOf)}`,
      `scans waiting        ${waiting}`,
      ...(standsStill ? ['gates                stand still: see serve --max-age'] : []),
      ...events.map(
        ({ name, isDecidedHere }) =>
          `event                ${name}: ${isDecidedHere ? 'decided here' : 'not decided here'}`,
      ),
      ...(events.length === 0
        ? ['no events: at the centre, ticketscan events move EVENT --to SITE']
        : []),
    ];
    showResult(access.io, options, z.encode(SiteStatus, status), lines);
  },
});

function json(site: Site): z.input<typeof Site> {
  return z.encode(Site, site);
}
