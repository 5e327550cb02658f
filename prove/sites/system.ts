import {
  AT_THE_CENTRE,
  type Held,
  type Home,
  type Word,
  wishOf,
  wordOf,
} from '../../src/features/sites/home.ts';
import type { Protocol } from './protocol.ts';

/** A site, as it is on its disk. */
interface Site {
  readonly name: string;
  readonly held?: Held;
  readonly uses: number;
  /** What a backup has of it. */
  readonly backup?: Omit<Site, 'backup'>;
}

/** What may arrive, any number of times and at any later time, or never. */
type Message =
  | { readonly kind: 'take'; readonly site: string; readonly epoch: number; readonly uses: number }
  | { readonly kind: 'close'; readonly site: string; readonly epoch: number }
  | ({ readonly kind: 'word' } & Word);

/** A centre and its sites, with one ticket of one event. */
export interface System {
  readonly home: Home;
  /** Uses that the centre knows to be taken. */
  readonly uses: number;
  /** Rows that the centre keeps, by site and epoch. */
  readonly rows: Readonly<Record<string, number>>;
  /** Those of them that took uses. */
  readonly counted: Readonly<Record<string, number>>;
  readonly sites: readonly Site[];
  /** Sorted, so that messages in another order are the same. */
  readonly sent: readonly Message[];
  /** What guests saw. */
  readonly admitted: number;
  /** Rows that sites wrote, by site and epoch: what a restored site forgot stays here. */
  readonly written: Readonly<Record<string, number>>;
  /** Rows came that follow on those that are here, and were not kept. */
  readonly hasDropped: boolean;
  /** How many uses more than allowed the commands that freed the event had printed. */
  readonly printed: number;
  readonly left: Budget;
}

/** How often each step may still happen. */
export interface Budget {
  readonly give: number;
  readonly free: number;
  readonly restore: number;
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
    counted: {},
    sites: sites.map((name) => ({ name, uses: 0 })),
    sent: [],
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

function* stepsOfCentre(system: System, { allowed }: Bound, protocol: Protocol): Generator<System> {
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
  const free = left.free > 0 ? protocol.freed(home) : undefined;
  if (free)
    yield {
      ...system,
      home: free,
      printed: system.printed + protocol.atRisk(allowed, uses),
      left: { ...left, free: left.free - 1 },
    };
}

/** What the centre asks of the site that has the event; undefined where that is at the centre. */
function askedOf({ home, uses, counted }: System, { usesInCopy }: Protocol): Message | undefined {
  const wish = wishOf(home);
  if (wish === undefined) return undefined;
  const { kind, site, epoch } = wish;
  if (kind === 'close') return { kind, site, epoch };
  return { kind, site, epoch, uses: usesInCopy(uses, counted[stay(site, epoch)] ?? 0) };
}

function* stepsOfSite(
  system: System,
  at: number,
  { allowed }: Bound,
  protocol: Protocol,
): Generator<System> {
  const site = system.sites[at] as Site;
  const { held, name, uses } = site;
  if (held && protocol.decidesAtSite(held) && uses < allowed) {
    const after = { ...held, rows: held.rows + 1 };
    const key = stay(name, held.epoch);
    yield {
      ...withSite(system, at, { ...site, held: after, uses: uses + 1 }),
      admitted: system.admitted + 1,
      written: { ...system.written, [key]: (system.written[key] ?? 0) + 1 },
    };
  }
  if (held) yield* wordsOf(system, held, name, protocol);
  if (system.left.restore > 0) yield* restores(system, at, protocol);
}

/** All of its rows, or the last one alone. Fewer rows than it has are in the words that it sent before. */
function* wordsOf(
  system: System,
  held: Held,
  name: string,
  { saysClosed }: Protocol,
): Generator<System> {
  for (const after of new Set([0, Math.max(0, held.rows - 1)]))
    yield sending(system, {
      kind: 'word',
      ...wordOf(held, name, after),
      isClosed: saysClosed(held),
    });
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
  const restored = protocol.keepsEvents ? { ...backup, name } : { name, uses: 0 };
  yield {
    ...withSite(system, at, restored),
    left: { ...system.left, restore: system.left.restore - 1 },
  };
}

function* arrivals(system: System, message: Message, protocol: Protocol): Generator<System> {
  if (message.kind === 'word') {
    yield heardAtCentre(system, message, protocol);
    return;
  }
  for (const [at, site] of system.sites.entries()) {
    if (site.name !== message.site) continue;
    if (message.kind === 'close') {
      const held = protocol.closed(site.held, message.epoch);
      if (held) yield withSite(system, at, { ...site, held });
      continue;
    }
    const held = protocol.taken(site.held, message.epoch);
    if (held) yield withSite(system, at, { ...site, held, uses: message.uses });
  }
}

function heardAtCentre(system: System, word: Word, protocol: Protocol): System {
  const key = stay(word.site, word.epoch);
  const stored = system.rows[key] ?? 0;
  const { home, fresh, areCounted } = protocol.heard(system.home, word, stored);
  const rows = fresh === 0 ? system.rows : { ...system.rows, [key]: stored + fresh };
  const hasDropped = system.hasDropped || (word.after <= stored && stored + fresh < word.rows);
  const after = { ...system, home, rows, hasDropped };
  if (!areCounted || fresh === 0) return after;
  return {
    ...after,
    uses: system.uses + fresh,
    counted: { ...system.counted, [key]: (system.counted[key] ?? 0) + fresh },
  };
}

function withSite(system: System, at: number, site: Site): System {
  return { ...system, sites: system.sites.with(at, site) };
}

function sending(system: System, message: Message): System {
  const name = textOf(message);
  const at = system.sent.findIndex((one) => textOf(one) >= name);
  const before = at < 0 ? undefined : system.sent[at];
  if (before && textOf(before) === name) return system;
  return { ...system, sent: system.sent.toSpliced(at < 0 ? system.sent.length : at, 0, message) };
}

function stay(site: string, epoch: number): string {
  return `${site} ${epoch}`;
}

/** A text for each object; most states share their parts with the one before. */
function textsOf<Part extends object>(): (part: Part) => string {
  const known = new WeakMap<Part, string>();
  return (part) => {
    const before = known.get(part);
    if (before !== undefined) return before;
    const text = Object.values(part)
      .map((value) => (typeof value === 'object' ? JSON.stringify(value) : value))
      .join();
    known.set(part, text);
    return text;
  };
}

const textOf = textsOf<Message>();
const textOfSite = textsOf<Site>();
const textOfRows = textsOf<Readonly<Record<string, number>>>();
const textOfHome = textsOf<Home>();
const textOfBudget = textsOf<Budget>();
const textOfSent = (() => {
  const known = new WeakMap<readonly Message[], string>();
  return (sent: readonly Message[]) => {
    const text = known.get(sent) ?? sent.map(textOf).join(';');
    known.set(sent, text);
    return text;
  };
})();

/** The same for two systems of which the same can come. */
export function nameOf({ home, uses, rows, counted, sites, sent, written, ...rest }: System) {
  const { admitted, printed, hasDropped, left } = rest;
  const tables = [rows, counted, written].map((one) => `${Object.keys(one)}:${textOfRows(one)}`);
  const parts = [textOfHome(home), ...sites.map(textOfSite), textOfBudget(left), textOfSent(sent)];
  return `${uses},${admitted},${printed},${hasDropped}|${parts.join('|')}|${tables.join('|')}`;
}
