import type { AuditLogEntry } from '../../src/core/administrative-records.ts';
import type { LogEntry } from '../../src/core/records.ts';
import type { Attempt, SplitTicket } from './clients.ts';

/** What is there when everything came home. */
export interface SplitFacts {
  readonly tickets: readonly SplitTicket[];
  readonly attempts: readonly Attempt[];
  /** The log and the audit log of the centre, oldest first. */
  readonly log: readonly LogEntry[];
  readonly acts: readonly AuditLogEntry[];
  /** Uses that `sites free` said may be admitted twice. */
  readonly printed: number;
  /** Sites that were replaced by a backup: what they had not sent was lost with them. */
  readonly restored: ReadonlySet<string>;
  /** Sites by their ids. */
  readonly sites: ReadonlyMap<string, string>;
  /** What `audit` says of each store. */
  readonly audits: readonly string[];
}

const CENTRE = 'centre';

/** @returns every promise that was broken, in sentences */
export function splitProblems(facts: SplitFacts): string[] {
  return [
    ...facts.audits,
    ...usedTooOften(facts),
    ...rowsTwice(facts),
    ...lostUses(facts),
    ...decidedElsewhere(facts),
    ...lateRows(facts),
  ];
}

function usedTooOften({ tickets, attempts, printed }: SplitFacts): string[] {
  const granted = countBy(attempts, ({ ticket, became }) =>
    became === 'granted' ? ticket.ticketId : undefined,
  );
  const over = tickets.map((ticket) => ({
    ...ticket,
    over: (granted.get(ticket.ticketId) ?? 0) - ticket.usesAllowed,
  }));
  const all = over.reduce((sum, one) => sum + Math.max(0, one.over), 0);
  if (all <= printed) return [];
  return over
    .filter((one) => one.over > 0)
    .map(
      (one) =>
        `${one.ticketId} was admitted ${one.over} times more than its ${one.usesAllowed} uses (printed: ${printed})`,
    );
}

function rowsTwice({ log }: SplitFacts): string[] {
  const rows = countBy(log, ({ site }) => site && `${site.id} ${site.number}`);
  return [...rows]
    .filter(([, count]) => count > 1)
    .map(([row]) => `row ${row} is at the centre twice`);
}

/** Every acknowledged use is in the log of the centre, where it was taken, and no use that nobody asked for. */
function lostUses({ attempts, log, sites, restored }: SplitFacts): string[] {
  const placeOf = ({ site }: LogEntry) =>
    site === undefined ? CENTRE : (sites.get(site.id.split('.')[0] ?? '') ?? site.id);
  const isUse = (entry: LogEntry) =>
    entry.status === 'consumed' && (!entry.replayed || entry.site?.late === true);
  const logged = countBy(log, (entry) =>
    isUse(entry) ? `${entry.ticketId} at ${placeOf(entry)}` : undefined,
  );
  const asked = (became: readonly Attempt['became'][]) =>
    countBy(attempts, (one) =>
      became.includes(one.became) ? `${one.ticket.ticketId} at ${one.at}` : undefined,
    );
  const [granted, most] = [asked(['granted']), asked(['granted', 'unknown'])];
  const lost = [...granted].flatMap(([what, count]) =>
    (logged.get(what) ?? 0) < count && !restored.has(what.split(' at ')[1] ?? '')
      ? [`${count} uses of ${what} were acknowledged, ${logged.get(what) ?? 0} are at the centre`]
      : [],
  );
  const invented = [...logged].flatMap(([what, count]) =>
    count > (most.get(what) ?? 0)
      ? [`the centre has ${count} uses of ${what}, and only ${most.get(what) ?? 0} were asked for`]
      : [],
  );
  return [...lost, ...invented];
}

/** A time in which an event was at one place. */
interface Stay {
  readonly at: string;
  readonly from: number;
  readonly until: number;
}

/** Clocks of one machine differ by the time that a write takes. */
const SLACK_MS = 1000;

/** Where each event was, by the audit log of the centre: it is at the site from the moment that it leaves. */
function staysOf(event: string, acts: SplitFacts['acts']): Stay[] {
  const stays: Stay[] = [];
  let [at, from] = [CENTRE, 0];
  const moved = (to: string, time: number) => {
    stays.push({ at, from, until: time });
    [at, from] = [to, time];
  };
  for (const { act, subject, at: time, details } of acts) {
    if (subject !== event) continue;
    if (act === 'event.give') moved(String(details['site']), time);
    if (act === 'event.return' || act === 'event.free') moved(CENTRE, time);
  }
  return [...stays, { at, from, until: Number.POSITIVE_INFINITY }];
}

/** A granted or denied scan was decided at the home of its event. What a freed site decides is printed. */
function decidedElsewhere({ attempts, acts, printed }: SplitFacts): string[] {
  if (printed > 0) return [];
  const stays = new Map<string, Stay[]>();
  return attempts.flatMap(({ at, ticket, sentAt, answeredAt, became }) => {
    if (became !== 'granted' && became !== 'denied') return [];
    const known = stays.get(ticket.event) ?? staysOf(ticket.event, acts);
    stays.set(ticket.event, known);
    const isAtHome = known.some(
      (stay) =>
        stay.at === at && stay.from - SLACK_MS <= answeredAt && sentAt <= stay.until + SLACK_MS,
    );
    return isAtHome
      ? []
      : [`${ticket.ticketId} was ${became} at ${at} at ${sentAt}, where its event was not`];
  });
}

/** Only what was freed can come late. */
function lateRows({ log, printed }: SplitFacts): string[] {
  if (printed > 0) return [];
  return log.flatMap(({ site }) =>
    site?.late
      ? [`row ${site.id} ${site.number} takes no use, and nobody had freed its event`]
      : [],
  );
}

function countBy<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string | undefined,
): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const name = nameOf(item);
    if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}
