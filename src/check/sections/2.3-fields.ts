import type { Cell, CheckCase } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import {
  describeAnswer,
  type Exchange,
  isConsume,
  REST,
  type RestEndpoint,
  SCANS,
} from '../facts/exchange.ts';
import { isRecord, type JsonRecord, show } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { TICKET_FIELDS } from '../facts/scan-result.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';
import {
  expectAbsent,
  expectEqual,
  expectFields,
  expectOnly,
  expectTypedFields,
  objectOf,
} from '../judging/expect.ts';
import { judging, on, type Place } from '../samples/matrix.ts';
import { dashed, type GoodKind, keyFor, type RefusedKind, sampleOf } from '../samples/samples.ts';

/** Clocks differ, and so do the moments of scanning and of answering. */
const CLOCK_TOLERANCE_MS = 120_000;
/** Far enough apart for a timestamp of whole seconds. */
const SECONDS_APART_MS = 1200;
const NAMES = ['firstName', 'lastName'];
const WINDOW = ['validFrom', 'validUntil'] as const;
/** The ends of the window that a ticket of a kind does not have. */
const OPEN_ENDS = {
  single: WINDOW,
  multi: WINDOW,
  openEnd: ['validUntil'],
  openStart: ['validFrom'],
} as const;

const REJECTION = ['valid', 'status', 'reason', 'message'];
const FIELDS_OF_REFUSALS = {
  forged: REJECTION,
  noCode: REJECTION,
  outOfScope: REJECTION,
  unknown: ['valid', 'status', 'message'],
  exhausted: [
    ...['valid', 'status', 'message', 'ticketId', 'ticketType'],
    ...['usesAllowed', 'usesConsumed', 'usesRemaining'],
  ],
};

/** Section 2.3: the fields of results by the kind of their ticket; what holds for every result is in the review. */
export const FIELD_CASES: readonly CheckCase[] = [
  {
    id: '2.3/uses-of-a-single-ticket',
    requirement:
      'A single ticket has 1 use: 0 consumed and 1 remaining before it, 1 and 0 after it.',
    cells: judging(['single'], REST, (exchange, _, { endpoint }) => {
      const usesConsumed = isConsume(endpoint) ? 1 : 0;
      expectFields(exchange, { usesAllowed: 1, usesConsumed, usesRemaining: 1 - usesConsumed });
    }),
  },
  {
    id: '2.3/open-window-is-null',
    buildsOn: ['2.3/window-encloses-now'],
    requirement:
      'validFrom is null when there is no start, validUntil when there is no end; the other end is a timestamp.',
    cells: judging(keysOf(OPEN_ENDS), REST, (exchange, scan, place) => {
      const known = knownOf(scan, place);
      const ends: readonly (typeof WINDOW)[number][] = OPEN_ENDS[place.situation];
      const open: readonly string[] = ends.filter((name) => known[name] === undefined);
      expectFields(exchange, Object.fromEntries(open.map((name) => [name, null])));
      expectMoments(
        exchange,
        scan,
        WINDOW.filter((name) => !open.includes(name)),
      );
    }),
  },
  {
    id: '2.3/window-timestamps',
    requirement: 'validFrom and validUntil of a ticket with a window are ISO 8601 timestamps.',
    cells: judging(['windowed'], REST, (exchange, scan) => expectMoments(exchange, scan, WINDOW)),
  },
  {
    id: '2.3/window-encloses-now',
    states: ['the fact window'],
    requirement:
      'A ticket that is valid now has its validFrom before and its validUntil after now.',
    cells: judging(['windowed'], REST, encloseNow),
  },
  {
    id: '2.3/window-as-sold',
    states: ['the fact window'],
    requirement: 'validFrom and validUntil are the moments that the ticket was sold with.',
    cells: judging(
      ['windowed', 'openEnd', 'openStart', 'notYetValid', 'expired'],
      REST,
      windowAsSold,
    ),
  },
  {
    id: '2.3/close-to-the-window',
    states: ['the edge of a window'],
    requirement:
      'A ticket is refused until its validFrom and from its validUntil on, also within the hour.',
    cells: SCANS.flatMap((endpoint) =>
      (['notYetValid', 'expired'] as const).map(
        (kind): Cell => ({
          endpoint,
          variant: dashed(kind),
          keys: [keyFor(endpoint)],
          // of those that `seed` makes, every second one begins or ended within the hour
          tickets: { [kind]: 2 },
          ...(isConsume(endpoint) ? { uses: {} } : {}),
          async run(scan) {
            const exchanges = await Promise.all(
              [0, 1].map((index) => scan.ask(endpoint, scan.ticket(kind, index).code)),
            );
            const expected = kind === 'expired' ? 'expired' : 'not_yet_valid';
            const wrong = exchanges.find(({ answer }) => read(answer).outcome !== expected);
            if (wrong) scan.fail(`"${expected}"`, describeAnswer(wrong.answer), wrong);
          },
        }),
      ),
    ),
  },
  {
    id: '2.3/holder',
    states: ['the fact holder'],
    requirement: 'A personalised ticket shows its holder, with firstName and lastName.',
    cells: judging(['personalised'], REST, (exchange, scan) => {
      const holder = holderIn(exchange);
      for (const name of NAMES)
        if (typeof holder[name] !== 'string')
          scan.fail(`holder.${name}: string`, `holder.${name}: ${show(holder[name])}`);
    }),
  },
  {
    id: '2.3/holder-names',
    states: ['the fact holder'],
    requirement: "holder.firstName and holder.lastName are the holder's names.",
    cells: judging(['personalised'], REST, (exchange, scan, place) => {
      const seen = holderIn(exchange);
      const holder = knownOf(scan, place).holder ?? toldBefore(scan, place)?.['holder'];
      if (!holder) return `holder ${show(seen)} (the target does not say who it is)`;
      const names: JsonRecord = { ...holder };
      for (const name of NAMES)
        if (names[name] !== undefined)
          expectEqual(seen[name], names[name], `holder.${name}`, exchange);
      return undefined;
    }),
  },
  {
    id: '2.3/holder-absent',
    states: ['the fact holder'],
    requirement: 'holder is present only if the ticket is personalised.',
    cells: judging(['single', 'multi', 'permanent', 'windowed'], REST, (exchange, scan, place) => {
      const { holder } = place.situation === 'permanent' ? {} : knownOf(scan, place);
      if (holder) return 'the target says that the ticket has a holder';
      expectAbsent(exchange, ['holder']);
      return undefined;
    }),
  },
  {
    id: '2.3/scanned-at-of-each-use',
    requirement: 'scannedAt is the time of this consumption: a later use has a later one.',
    cells: on(['consume'], () => ({
      keys: ['rest'],
      tickets: { multi: 1 },
      uses: { multi: 2 },
      async run(scan) {
        const { code } = scan.ticket('multi');
        const first = expectTypedFields(await scan.consume(code), ['scannedAt'])['scannedAt'];
        await scan.pause(SECONDS_APART_MS);
        const second = expectTypedFields(await scan.consume(code), ['scannedAt'])['scannedAt'];
        const [before, after] = [readTimestamp(first), readTimestamp(second)];
        if (!before || !after || after.epochMs <= before.epochMs)
          scan.fail(`scannedAt: later than ${show(first)}`, `scannedAt: ${show(second)}`);
      },
    })),
  },
  {
    id: '2.3/ticket-id-as-issued',
    states: ['another ticket', 'the fact ticketId'],
    requirement: 'ticketId is the identifier of that ticket, and stays the same.',
    cells: judging(['single', 'multi', 'personalised', 'windowed'], REST, sameTicketId),
  },
  {
    id: '2.3/ticket-id-unique',
    requirement: 'ticketId is different for each ticket.',
    cells: on(REST, (endpoint) => {
      const samples = [sampleOf('single', endpoint), sampleOf('multi', endpoint)] as const;
      return {
        samples,
        async run(scan) {
          const [one, other] = [await scan.sample(samples[0]), await scan.sample(samples[1])];
          const { ticketId } = objectOf(one);
          if (ticketId === objectOf(other)['ticketId'])
            scan.fail('two tickets with two ids', `both have ticketId ${show(ticketId)}`);
        },
      };
    }),
  },
  {
    id: '2.3/uses-allowed-as-sold',
    states: ['the fact usesAllowed'],
    requirement: 'usesAllowed is the maximum number of uses of that ticket.',
    cells: judging(['multi'], REST, (exchange, scan, place) => {
      const usesAllowed =
        knownOf(scan, place).usesAllowed ?? toldBefore(scan, place)?.['usesAllowed'];
      if (usesAllowed === undefined)
        return `${show(objectOf(exchange)['usesAllowed'])} (the target does not say)`;
      expectFields(exchange, { usesAllowed });
      return undefined;
    }),
  },
  {
    id: '2.3/uses-allowed-stays',
    states: ['the fact usesAllowed'],
    requirement: 'usesAllowed is the maximum, not the rest: a use does not change it.',
    cells: on(['consume'], () => ({
      keys: ['rest'],
      tickets: { multi: 1 },
      uses: { multi: 1 },
      async run(scan) {
        const { code } = scan.ticket('multi');
        const { usesAllowed } = objectOf(await scan.validate(code));
        expectFields(await scan.consume(code), { status: 'consumed', usesAllowed });
        expectFields(await scan.validate(code), { usesAllowed });
      },
    })),
  },
  {
    id: '2.3/consume-tells-what-validate-told',
    requirement:
      'ticketId, ticketType, usesAllowed, the holder and the window of a consumed ticket are those that validate showed.',
    cells: judging(
      ['single', 'multi', 'personalised', 'windowed'],
      ['consume'],
      (exchange, scan, { sample }) => {
        const shown = scan.before(sample);
        const before = objectOf(shown);
        const fields = ['ticketId', 'ticketType', 'usesAllowed', 'holder', ...WINDOW];
        const told = scan.answers.heldIn(shown, fields).filter((name) => name in before);
        expectFields(exchange, Object.fromEntries(told.map((name) => [name, before[name]])));
      },
    ),
  },
  {
    id: '2.3/refusal-fields-only',
    level: 'observed',
    requirement:
      'A refusal carries valid, status, message and, where it is rejected, a reason; only an exhausted one shows its ticket and uses.',
    cells: judging(keysOf(FIELDS_OF_REFUSALS), REST, (exchange, _, { situation }) =>
      expectOnly(exchange, FIELDS_OF_REFUSALS[situation]),
    ),
  },
  {
    id: '2.3/ticket-fields-of-rejections',
    level: 'unstated',
    requirement: 'Which fields of the ticket a cancelled, not yet valid or expired one shows.',
    cells: judging(['cancelled', 'notYetValid', 'expired'], REST, (exchange) => {
      const result = objectOf(exchange);
      return TICKET_FIELDS.filter((field) => field in result).join(', ') || 'none';
    }),
  },
];

type Known = Place<GoodKind | RefusedKind, RestEndpoint>;

function keysOf<K extends string>(table: Readonly<Record<K, unknown>>): K[] {
  return Object.keys(table) as K[];
}

function holderIn(exchange: Exchange): JsonRecord {
  const { holder } = expectTypedFields(exchange, ['holder']);
  return isRecord(holder) ? holder : {};
}

/** What the target says about the ticket of a shared answer. */
function knownOf(scan: Scan, { sample, situation }: Known) {
  return scan.ticketOf(sample, situation);
}

/** The result of validating the same ticket before its use. */
function toldBefore(scan: Scan, { sample, endpoint }: Known) {
  return endpoint === 'consume' ? objectOf(scan.before(sample)) : undefined;
}

async function sameTicketId(exchange: Exchange, scan: Scan, place: Known): Promise<void> {
  const { code, ticketId } = knownOf(scan, place);
  expectTypedFields(exchange, ['ticketId']);
  const other =
    place.endpoint === 'consume' ? scan.before(place.sample) : await scan.validate(code);
  const expected = ticketId ?? expectTypedFields(other, ['ticketId'])['ticketId'];
  expectEqual(objectOf(exchange)['ticketId'], expected, 'ticketId', exchange);
}

/** @throws Deviation when one of these ends of the window is no timestamp */
function expectMoments(exchange: Exchange, scan: Scan, names: readonly string[]): void {
  const result = expectTypedFields(exchange, names);
  for (const name of names)
    if (result[name] === null)
      scan.fail(`${name}: an ISO 8601 timestamp`, `${name}: null`, exchange, [name]);
}

function encloseNow(exchange: Exchange, scan: Scan): void {
  const { validFrom, validUntil } = expectTypedFields(exchange, WINDOW);
  const now = exchange.startedAt.getTime();
  const from = readTimestamp(validFrom)?.epochMs ?? -Infinity;
  const until = readTimestamp(validUntil)?.epochMs ?? Infinity;
  const isOpen = from <= now + CLOCK_TOLERANCE_MS && until >= now - CLOCK_TOLERANCE_MS;
  if (isOpen && from <= until) return;
  scan.fail(
    `validFrom before and validUntil after ${exchange.startedAt.toISOString()}`,
    `validFrom: ${show(validFrom)}, validUntil: ${show(validUntil)}`,
    exchange,
    WINDOW,
  );
}

function windowAsSold(exchange: Exchange, scan: Scan, place: Known): string | undefined {
  const ticket = knownOf(scan, place);
  const result = objectOf(exchange);
  const isRefused = place.situation === 'notYetValid' || place.situation === 'expired';
  const before = isRefused ? undefined : toldBefore(scan, place);
  for (const name of WINDOW) {
    // whether a ticket that is refused shows its window is not said
    if (isRefused && (result[name] ?? null) === null) continue;
    const sold = ticket[name] ?? before?.[name];
    if (!isSameSecond(result[name], sold))
      scan.fail(`${name}: ${sold}`, `${name}: ${show(result[name])}`, exchange, [name]);
  }
  return ticket.validFrom || ticket.validUntil || before
    ? undefined
    : `${show(result['validFrom'])} to ${show(result['validUntil'])} (the target does not say)`;
}

/** True also where it is not known when it should be. */
function isSameSecond(seen: unknown, sold: unknown): boolean {
  const [moment, expected] = [readTimestamp(seen), readTimestamp(sold)];
  return !expected || (moment !== undefined && isNear(moment, expected.epochMs, 999));
}
