import {
  AT_THE_CENTRE,
  epochOfRow,
  type Held,
  type Home,
  type SentRow,
  type Word,
  wishOf,
  wordOf,
} from '../../src/core/event-home.ts';
import type { Protocol } from './protocol.ts';

/** A site, as it is on its disk. */
interface Site {
  readonly name: string;
  readonly held?: Held;
  readonly uses: number;
  /** The rows of its log. */
  readonly rows: number;
  /** What a backup has of it. */
  readonly backup?: Omit<Site, 'backup'>;
}

/** What may arrive, any number of times and at any later time, or never. */
type Message =
  | { readonly kind: 'take'; readonly site: string; readonly epoch: number; readonly uses: number }
  | { readonly kind: 'close'; readonly site: string; readonly epoch: number }
  | ({ readonly kind: 'row' } & SentRow)
  | ({ readonly kind: 'word' } & Word);

/** A centre and its sites, with one ticket of one event. */
export interface System {
  readonly home: Home;
  /** Uses that the centre knows to be taken. */
  readonly uses: number;
  /** Rows that the centre keeps, by site. */
  readonly rows: Readonly<Record<string, number>>;
  readonly sites: readonly Site[];
  /** Sorted by their numbers, so that messages in another order are the same. */
  readonly sent: readonly Message[];
  /** The numbers of these messages. */
  readonly sentName: string;
  /** What guests saw. */
  readonly admitted: number;
  /** Rows that sites wrote, by site: what a restored site forgot stays here. */
  readonly written: Readonly<Record<string, number>>;
  /** Rows came that follow on those that are here, and were not kept. */
  readonly hasDropped: boolean;
  /** How many uses more than allowed the commands that freed the event had printed. */
  readonly printed: number;
  /** What a backup has of the centre. */
  readonly kept?: Pick<System, 'home' | 'uses' | 'rows'>;
  readonly left: Budget;
}

/** How often each step may still happen. */
export interface Budget {
  readonly give: number;
  readonly free: number;
  /** Sites are restored so often, and the centre. */
  readonly restore: number;
  readonly restoreCentre?: number;
}

/** What is searched. */
export interface Bound {
  /** Uses of the ticket. */
  readonly allowed: number;
  readonly sites: readonly string[];
  readonly left: Budget;
}

export function startOf({ sites, left }: Bound): System {
  return {
    home: AT_THE_CENTRE,
    uses: 0,
    rows: {},
    sites: sites.map((name) => ({ name, uses: 0, rows: 0 })),
    sent: [],
    sentName: '',
    admitted: 0,
    written: {},
    hasDropped: false,
    printed: 0,
    left,
  };
}

/** The states that one step leads to: of the centre, of a site, of a person, or a message that arrives. */
export function* nextStates(system: System, bound: Bound, protocol: Protocol): Generator<System> {
  yield* stepsOfCentre(system, bound, protocol);
  for (const at of system.sites.keys()) yield* stepsOfSite(system, at, bound, protocol);
  for (const message of system.sent) yield* arrivals(system, message, protocol);
}

function* stepsOfCentre(system: System, bound: Bound, protocol: Protocol): Generator<System> {
  const { allowed } = bound;
  const { home, uses, left } = system;
  if (protocol.decidesAtCentre(home) && uses < allowed)
    yield { ...system, uses: uses + 1, admitted: system.admitted + 1 };
  if (left.give > 0)
    for (const { name } of system.sites) {
      const given = protocol.givenAway(home, name);
      if (given) yield { ...system, home: given, left: { ...left, give: left.give - 1 } };
    }
  const asked = askedOf(system, protocol);
  if (asked) yield sending(system, asked);
  const back = protocol.askedBack(home);
  if (back) yield { ...system, home: back };
  yield* freeings(system, bound, protocol);
  yield* restoresOfCentre(system, bound, protocol);
}

/** A person frees the event of the site that has it, or of one that is asked for it. */
function* freeings(
  system: System,
  { allowed, sites }: Bound,
  protocol: Protocol,
): Generator<System> {
  const { home, uses, left } = system;
  if (left.free === 0) return;
  for (const site of sites) {
    const free = protocol.freed(home, site);
    if (!free) continue;
    const printed = system.printed + protocol.atRisk(allowed, uses);
    yield { ...system, home: free, printed, left: { ...left, free: left.free - 1 } };
  }
}

/** Higher than any stay of an event that is searched. */
const BEYOND = 100;

/** A backup is made once, and restored later: the command prints how many uses it does not know. */
function* restoresOfCentre(
  system: System,
  { sites }: Bound,
  protocol: Protocol,
): Generator<System> {
  const { home, uses, rows, kept, left } = system;
  const { restoreCentre = 0 } = left;
  if (restoreCentre === 0) return;
  if (kept === undefined) {
    yield { ...system, kept: { home, uses, rows } };
    return;
  }
  yield {
    ...system,
    home: protocol.asking(kept.home, sites, BEYOND),
    uses: kept.uses,
    rows: kept.rows,
    printed: system.printed + Math.max(0, uses - kept.uses),
    left: { ...left, restoreCentre: restoreCentre - 1 },
  };
}

/** A site that is asked says what it has. Whatever it was to do before, it has done or given up. */
function* answers(system: System, at: number, protocol: Protocol): Generator<System> {
  const { name, held, rows } = system.sites[at] as Site;
  const word = held && wordOf(held, name, rows);
  const home = protocol.answered(system.home, name, word, system.rows[name] ?? 0);
  if (home === system.home) return;
  const stale = (one: Message) => one.kind === 'take' && one.site === name;
  let next: System = { ...system, home, sent: [], sentName: '' };
  for (const one of system.sent) if (!stale(one)) next = sending(next, one);
  yield next;
}

/** What the centre asks of the site that has the event; undefined where that is at the centre. */
function askedOf({ home, uses }: System, { usesInCopy }: Protocol): Message | undefined {
  const wish = wishOf(home);
  if (wish === undefined) return undefined;
  const { kind, site, epoch } = wish;
  if (kind === 'close') return { kind, site, epoch };
  return { kind: 'take', site, epoch, uses: usesInCopy(uses) };
}

function* stepsOfSite(
  system: System,
  at: number,
  bound: Bound,
  protocol: Protocol,
): Generator<System> {
  const { allowed } = bound;
  const site = system.sites[at] as Site;
  const { held, name, uses, rows } = site;
  if (held && protocol.decidesAtSite(held) && uses < allowed) {
    yield {
      ...withSite(system, at, { ...site, uses: uses + 1, rows: rows + 1 }),
      admitted: system.admitted + 1,
      written: { ...system.written, [name]: (system.written[name] ?? 0) + 1 },
    };
  }
  if (rows > 0) yield* rowsOf(system, site);
  if (held) {
    const word = wordOf(held, name, rows);
    yield sending(system, { kind: 'word', ...word, isClosed: protocol.saysClosed(held) });
  }
  yield* answers(system, at, protocol);
  if (system.left.restore > 0) yield* restores(system, at, protocol);
}

/** Each of its rows, as it tells of them now. */
function* rowsOf(system: System, { name, held, rows }: Site): Generator<System> {
  for (let number = 1; number <= rows; number += 1) {
    const epoch = epochOfRow(held, number);
    yield sending(system, { kind: 'row', site: name, after: number - 1, number, epoch });
  }
}

/** A backup is made once, and restored later. */
function* restores(system: System, at: number, protocol: Protocol): Generator<System> {
  const site = system.sites[at] as Site;
  const { backup, ...now } = site;
  if (backup === undefined) {
    if (site.held) yield withSite(system, at, { ...now, backup: now });
    return;
  }
  const name = protocol.restoredName(site.name);
  const restored = protocol.keepsEvents ? { ...backup, name } : { name, uses: 0, rows: 0 };
  yield {
    ...withSite(system, at, restored),
    left: { ...system.left, restore: system.left.restore - 1 },
  };
}

function* arrivals(system: System, message: Message, protocol: Protocol): Generator<System> {
  if (message.kind === 'word') {
    const home = protocol.heard(system.home, message, system.rows[message.site] ?? 0);
    if (home !== system.home) yield { ...system, home };
    return;
  }
  if (message.kind === 'row') {
    yield withRow(system, message, protocol);
    return;
  }
  for (const [at, site] of system.sites.entries()) {
    if (site.name === message.site) yield* movesOf(system, at, message, protocol);
  }
}

function* movesOf(
  system: System,
  at: number,
  message: Extract<Message, { readonly kind: 'take' | 'close' }>,
  protocol: Protocol,
): Generator<System> {
  const site = system.sites[at] as Site;
  if (message.kind === 'close') {
    const held = protocol.closed(site.held, message.epoch, site.rows);
    if (held) yield withSite(system, at, { ...site, held });
    return;
  }
  const held = protocol.taken(site.held, message.epoch, site.rows);
  if (held) yield withSite(system, at, { ...site, held, uses: message.uses });
}

function withRow(system: System, row: SentRow, protocol: Protocol): System {
  const stored = system.rows[row.site] ?? 0;
  const place = protocol.placeOfRow(row, stored);
  if (place !== 'next') {
    const hasDropped = system.hasDropped || (row.after === stored && row.number > stored);
    return hasDropped === system.hasDropped ? system : { ...system, hasDropped };
  }
  const rows = { ...system.rows, [row.site]: Math.max(stored, row.number) };
  // A row that is counted again shows as one more use.
  const uses = protocol.isOfThisStay(system.home, row) ? system.uses + 1 : system.uses;
  return { ...system, rows, uses };
}

function withSite(system: System, at: number, site: Site): System {
  return { ...system, sites: system.sites.with(at, siteOf(site)[0]) };
}

function sending(system: System, message: Message): System {
  const [one, number] = messageOf(message);
  const name = String.fromCharCode(number);
  const { sent, sentName } = system;
  if (sentName.includes(name)) return system;
  let at = 0;
  while (at < sentName.length && sentName.charCodeAt(at) < number) at += 1;
  return {
    ...system,
    sent: sent.toSpliced(at, 0, one),
    sentName: sentName.slice(0, at) + name + sentName.slice(at),
  };
}

function textOf(part: object): string {
  let text = '';
  for (const [member, value] of Object.entries(part))
    text += `${member}:${typeof value === 'object' ? `{${textOf(value)}}` : value},`;
  return text;
}

/** One object and one number for all that are equal: states that share their parts are compared by numbers. */
function partsOf<Part extends object>(): (part: Part) => readonly [Part, number] {
  const known = new Map<string, readonly [Part, number]>();
  const quick = new WeakMap<Part, readonly [Part, number]>();
  return (part) => {
    const before = quick.get(part);
    if (before) return before;
    const text = textOf(part);
    const found = known.get(text) ?? [part, known.size];
    known.set(text, found);
    quick.set(found[0], found);
    return found;
  };
}

const messageOf = partsOf<Message>();
const siteOf = partsOf<Site>();
const rowsIn = partsOf<Readonly<Record<string, number>>>();
const homeOf = partsOf<Home>();
const budgetOf = partsOf<Budget>();
const keptOf = partsOf<NonNullable<System['kept']>>();

/** The same for two systems of which the same can come. */
export function nameOf({ home, uses, rows, sites, sentName, written, ...rest }: System) {
  const { admitted, printed, hasDropped, kept, left } = rest;
  const counts = `${uses},${admitted},${printed},${hasDropped ? 1 : 0}`;
  const records = `${kept ? keptOf(kept)[1] : ''},${homeOf(home)[1]},${budgetOf(left)[1]},${rowsIn(rows)[1]},${rowsIn(written)[1]}`;
  return `${counts},${records},${sites.map((site) => siteOf(site)[1])}|${sentName}`;
}
