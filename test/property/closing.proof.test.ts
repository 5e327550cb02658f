import { describe, expect, test } from 'vitest';
import type { LogEntry } from '../../src/core/records.ts';
import { kindOf, type NewTicket } from '../../src/core/ticket.ts';
import { eventOfTicketId } from '../../src/core/ticket-id.ts';
import { type ClosingRow, closingOf } from '../../src/features/statistics/closing.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { fc } from '../support/fast-check.ts';
import { TestStore } from '../support/stores.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const QUARTER_MS = 15 * MINUTE_MS;
const INSIDE_FROM = '04:00';
const AFTER_ALL = Date.parse('2027-01-01T00:00Z');

/** Zones with clocks that change at night and at midnight, by half an hour, and not at all; and the days on which they do. */
const DAYS = [
  ['Europe/Berlin', '2026-03-29', '2026-03-29T01:00Z'],
  ['Europe/Berlin', '2026-10-25', '2026-10-25T01:00Z'],
  ['America/Havana', '2026-03-08', '2026-03-08T05:00Z'],
  ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T15:00Z'],
  ['Asia/Kathmandu', '2026-07-01', '2026-06-30T18:15Z'],
  ['UTC', '2026-07-01', '2026-07-01T00:00Z'],
] as const;

const scans = fc.array(
  fc.record({
    // Around midnight and the change of the clocks, and over the day before and after.
    at: fc.oneof(
      fc.integer({ min: -2 * DAY_MS, max: 2 * DAY_MS }),
      fc.integer({ min: -90 * MINUTE_MS, max: 90 * MINUTE_MS }),
    ),
    operation: fc.constantFrom('consume' as const, 'consume' as const, 'validate' as const),
    card: fc.nat({ max: 3 }),
    reader: fc.constantFrom('0', '0', '1'),
    serial: fc.constantFrom(null, 'north'),
    isUndone: fc.boolean(),
    undoneAfter: fc.constantFrom(MINUTE_MS, 9 * 60 * MINUTE_MS),
    isByHand: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

type Figures = Pick<
  ClosingRow,
  'admitted' | 'firstUses' | 'repeats' | 'byHand' | 'exits' | 'denied' | 'undone'
> & { readonly reasons: Readonly<Record<string, number>> };

/** The clocks of a zone. */
class Clocks {
  readonly #format: Intl.DateTimeFormat;

  constructor(timeZone: string) {
    const options = { dateStyle: 'short', timeStyle: 'short' } as const;
    this.#format = new Intl.DateTimeFormat('sv-SE', { timeZone, ...options });
  }

  at(time: number): { day: string; minute: string } {
    const [day = '', minute = ''] = this.#format.format(time).split(' ');
    return { day, minute };
  }

  /** The day on which a count of people began: that of the evening before, until the hour at which it begins anew. */
  nightOf(time: number): string {
    const { day, minute } = this.at(time);
    return minute < INSIDE_FROM
      ? new Date(Date.parse(day) - DAY_MS).toISOString().slice(0, 10)
      : day;
  }
}

function isOut(entry: LogEntry): boolean {
  return entry.direction === 'out';
}

function isPassage({ operation, status }: LogEntry): boolean {
  return operation === 'consume' && (status === 'consumed' || status === 'validated');
}

/** The naive way: one kind of figure after the other, each by a look at every entry. */
function figuresOf(log: readonly LogEntry[]): Figures {
  const uses = log.filter((entry) => entry.status === 'consumed' && !isOut(entry));
  // The way out of this turnstile opens for whoever came in: it counts others not, and denies nobody.
  const denials = log.filter(
    (entry) => entry.operation === 'consume' && !isPassage(entry) && !isOut(entry),
  );
  const undone = log.filter(({ status }) => status === 'undone');
  const reasons: Record<string, number> = {};
  for (const { reason, status } of denials) {
    reasons[reason ?? status] = (reasons[reason ?? status] ?? 0) + 1;
  }
  return {
    admitted: uses.length,
    firstUses: uses.filter(({ usesConsumed }) => usesConsumed === 1).length,
    repeats: uses.filter(({ usesConsumed }) => usesConsumed !== 1).length,
    byHand: uses.filter((entry) => entry.byHand === true).length,
    exits: log.filter((entry) => isPassage(entry) && isOut(entry)).length,
    denied: denials.length,
    undone: undone.length,
    reasons,
  };
}

function rowsOf(rows: readonly ClosingRow[], nameOf: (row: ClosingRow) => string) {
  return Object.fromEntries(
    rows.map((row) => {
      const { admitted, firstUses, repeats, byHand, exits, denied, undone } = row;
      const reasons = Object.fromEntries(row.reasons.map(({ reason, count }) => [reason, count]));
      const figures = { admitted, firstUses, repeats, byHand, exits, denied, undone };
      return [nameOf(row), { ...figures, reasons }];
    }),
  );
}

/** What the log says of each name; names that only have validate operations are none. */
function naively(log: readonly LogEntry[], nameOf: (entry: LogEntry) => string) {
  const names = [...new Set(log.map(nameOf))];
  const all = names.map((name) => [name, figuresOf(log.filter((one) => nameOf(one) === name))]);
  return Object.fromEntries(
    (all as [string, Figures][]).filter(([, { reasons, ...figures }]) =>
      Object.values(figures).some((count) => count !== 0),
    ),
  );
}

/** Walks through the minutes of the day until now, and counts at the end of each quarter who is inside. */
function mostInside(
  log: readonly LogEntry[],
  clocks: Clocks,
  day: string,
  now: number,
): ClosingRow['mostInside'] {
  const night = new Set(log.map(({ at }) => clocks.nightOf(at)));
  const ofEvent = log.filter(
    (entry) => (isPassage(entry) || entry.status === 'undone') && night.size > 0,
  );
  let most: ClosingRow['mostInside'] = null;
  const first = Math.floor((Date.parse(day) - DAY_MS) / QUARTER_MS) * QUARTER_MS;
  for (let from = first; from < first + 4 * DAY_MS; from += QUARTER_MS) {
    if (clocks.at(from).day !== day || from > now) continue;
    const since = ofEvent.filter(
      ({ at }) => at < from + QUARTER_MS && clocks.nightOf(at) === clocks.nightOf(from),
    );
    // Whoever came in a night before is not taken out of this one.
    const counted = since.filter(
      ({ undo }) =>
        undo === undefined ||
        log.some(
          ({ sequence, at }) =>
            sequence === undo.sequence && clocks.nightOf(at) === clocks.nightOf(from),
        ),
    );
    const people = counted.reduce((sum, entry) => {
      const step = entry.status === 'undone' ? -1 : 1;
      return sum + (isOut(entry) ? -step : step);
    }, 0);
    if (people > (most?.people ?? 0)) {
      most = { people, at: Math.min(from + QUARTER_MS, now) };
    }
  }
  return most;
}

describe.each(['memory', 'postgres'] as const)('%s', (engine) => {
  const numRuns = engine === 'memory' ? 40 : 12;

  test('the figures of a closing are what the log says, entry by entry', async () => {
    await using gate = await TestStore.open(engine);
    const { key } = await gate.administration.keys.create({
      name: 'turnstile',
      type: 'hardware',
      events: 'all',
      terms: { readers: { 0: 'in', 1: 'out' }, onExit: 'open' },
    });
    const tickets = new Map<string, NewTicket>();
    for (const kind of ['single', 'multi', 'permanent'] as const) {
      const ticket = await gate.mint({ kind, ...(kind === 'multi' && { uses: 5 }) });
      tickets.set(ticket.id, ticket);
    }
    const ids = [...tickets.keys(), `tkt_${gate.eventId}_00000000000000000000`];
    await fc.assert(
      fc.asyncProperty(scans, fc.constantFrom(...DAYS), async (wanted, [, , centre]) => {
        const inOrder = wanted.toSorted((a, b) => a.at - b.at);
        for (const {
          at,
          operation,
          card,
          serial,
          reader,
          isUndone,
          undoneAfter,
          isByHand,
        } of inOrder) {
          const now = Date.parse(centre) + at;
          const byHand = isByHand && { byHand: true as const };
          const request = { now, operation, serial, reader, keyId: key.id, ...byHand };
          const outcome = await gate.scan(gate.request(ids[card] ?? '', request));
          const isUse = JSON.stringify(outcome).includes('"consumed"');
          const [last] = await gate.store.readLog({ limit: 1 });
          if (!isUse || !isUndone || last?.status !== 'consumed') continue;
          await gate.store.undoUse(
            { sequence: last.sequence, at: now + undoneAfter, by: 'x', reason: 'x' },
            AN_AUDIT_ENTRY,
          );
        }
      }),
      { numRuns },
    );
    const [{ organisationId = '' } = {}] = await gate.store.list('event');
    const log = await gate.store.readLog({ afterSequence: 0, limit: 1e6 });
    expect(log.filter(({ status }) => status === 'undone').length).toBeGreaterThan(0);
    expect(log.filter(({ byHand }) => byHand).length).toBeGreaterThan(0);
    for (const [timeZone, day, centre] of DAYS) {
      const clocks = new Clocks(timeZone);
      const ofDay = log.filter(({ at }) => clocks.at(at).day === day);
      const request = {
        organisationId,
        timeZone,
        from: day,
        to: day,
        event: null,
        inside: { from: INSIDE_FROM, timeZone },
      };
      const closing = await closingOf(gate.store, request, undefined, AFTER_ALL);
      const { totals, byEvent, byGate, byType, byHour } = closing;
      const about = `${timeZone} on ${day}`;
      expect(
        rowsOf([totals], () => ''),
        about,
      ).toEqual({ '': figuresOf(ofDay) });
      expect(
        rowsOf(byEvent, ({ event }) => event ?? ''),
        about,
      ).toEqual(naively(ofDay, ({ ticketId }) => eventOfTicketId(ticketId ?? '') ?? ''));
      expect(
        rowsOf(byGate, ({ serial }) => serial ?? ''),
        about,
      ).toEqual(naively(ofDay, ({ serial }) => serial ?? ''));
      expect(
        rowsOf(byType, ({ type }) => type ?? ''),
        about,
      ).toEqual(
        naively(ofDay, ({ ticketId }) => {
          const ticket = tickets.get(ticketId ?? '');
          return ticket ? kindOf(ticket) : '';
        }),
      );
      expect(
        rowsOf(byHour, ({ hour }) => hour ?? ''),
        about,
      ).toEqual(naively(ofDay, ({ at }) => `${clocks.at(at).minute.slice(0, 2)}:00`));
      const counted = log.filter(({ at }) => {
        const night = clocks.nightOf(at);
        return night === day || Date.parse(night) === Date.parse(day) - DAY_MS;
      });
      const hasExits = counted.some(
        (entry) => isPassage(entry) && isOut(entry) && clocks.at(entry.at).day <= day,
      );
      const mostAt = (now: number) => (hasExits ? mostInside(counted, clocks, day, now) : null);
      expect(totals.mostInside, about).toEqual(mostAt(AFTER_ALL));
      expect(
        byEvent.find(({ event }) => event === gate.eventId)?.mostInside ?? null,
        about,
      ).toEqual(byEvent.length > 0 ? mostAt(AFTER_ALL) : null);
      // In the middle of a quarter, of this day or of the one before.
      const now = Date.parse(centre) + 7 * MINUTE_MS;
      const until = await closingOf(gate.store, request, undefined, now);
      expect(until.totals.mostInside, `${about} until now`).toEqual(mostAt(now));
    }
    expect((await gate.store.verify()).problems).toEqual([]);
  });
});
