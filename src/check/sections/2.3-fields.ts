import { setTimeout as sleep } from 'node:timers/promises';
import type { Cell, CheckCase } from '../cases/case.ts';
import { judging, reviewing } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { isRecord, show } from '../facts/json.ts';
import { isNear, type Moment, readTimestamp } from '../facts/timestamp.ts';
import {
  expectAbsent,
  expectEqual,
  expectFields,
  expectTypedFields,
  objectOf,
} from '../judging/expect.ts';
import { REST, type RestEndpoint } from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';
import { GOOD, type GoodKind, sampleOf } from '../samples/samples.ts';

const GENERAL = ['valid', 'status', 'message', 'ticketId', 'ticketType'];
const USES = ['usesAllowed', 'usesConsumed', 'usesRemaining'];
/** Clocks differ, and so do the moments of scanning and of answering. */
const CLOCK_TOLERANCE_MS = 120_000;
/** Far enough apart for a timestamp of whole seconds. */
const SECONDS_APART_MS = 1200;
const WITHOUT_WINDOW = ['single', 'multi'] as const;

/** Section 2.3: the fields of results with `valid: true`. */
export const FIELD_CASES: readonly CheckCase[] = [
  {
    id: '2.3/validated-fields',
    requirement:
      'A valid validate result carries the general and the use fields, each of its type, and validFrom and validUntil.',
    cause: 'A field is missing, misspelt or of another type.',
    cells: judging(GOOD, ['validate'], (exchange) => {
      expectTypedFields(exchange, [...GENERAL, ...USES, 'validFrom', 'validUntil']);
    }),
  },
  {
    id: '2.3/validated-uses',
    requirement: 'An unused single ticket shows 1 use allowed, 0 consumed and 1 remaining.',
    cause: 'A counter is taken from the wrong column, or starts at the wrong number.',
    cells: judging(['single'], ['validate'], (exchange) => {
      expectFields(exchange, { usesAllowed: 1, usesConsumed: 0, usesRemaining: 1 });
    }),
  },
  {
    id: '2.3/window-open-is-null',
    requirement: 'validFrom and validUntil are null when there is no start and no end.',
    cause: 'An open window is left out, or shown as an empty text or a far date.',
    cells: judging(WITHOUT_WINDOW, REST, (exchange) => {
      const result = objectOf(exchange);
      expectEqual(result['validFrom'], null, 'validFrom', exchange);
      expectEqual(result['validUntil'], null, 'validUntil', exchange);
    }),
  },
  halfOpenCase('openEnd', 'validUntil', 'validFrom'),
  halfOpenCase('openStart', 'validFrom', 'validUntil'),
  windowCase('validated', 'validate'),
  windowCase('consumed', 'consume'),
  {
    id: '2.3/window-encloses-now',
    requirement:
      'A ticket that is valid now has its validFrom before and its validUntil after now.',
    cause: 'The ends of the window are swapped, or in another time zone.',
    cells: judging(['windowed'], REST, (exchange, scan) => encloseNow(exchange, scan)),
  },
  holderPresentCase('validated', 'validate'),
  holderPresentCase('consumed', 'consume'),
  {
    id: '2.3/holder-absent',
    requirement: 'holder is present only if the ticket is personalised.',
    cause: 'The holder is always serialised, empty or null.',
    cells: judging(['single', 'multi', 'permanent', 'windowed'], REST, (exchange) => {
      expectAbsent(exchange, ['holder']);
    }),
  },
  {
    id: '2.3/consumed-fields',
    requirement: 'A consume result carries the same fields, and scannedAt.',
    cause: 'The consume answer is built apart from the validate answer.',
    cells: judging(GOOD, ['consume'], (exchange) => {
      const fields = [...GENERAL, ...USES, 'validFrom', 'validUntil', 'scannedAt'];
      expectTypedFields(exchange, fields);
    }),
  },
  {
    id: '2.3/consumed-uses',
    requirement: 'The result of consuming a single ticket shows 1 use consumed and 0 remaining.',
    cause: 'The answer shows the counters from before the use.',
    cells: judging(['single'], ['consume'], (exchange) => {
      expectFields(exchange, { usesAllowed: 1, usesConsumed: 1, usesRemaining: 0 });
    }),
  },
  {
    id: '2.3/scanned-at-is-now',
    requirement: 'scannedAt is the time of the consumption.',
    cause:
      "scannedAt is the ticket's creation or another scan's time, or local time marked as UTC.",
    cells: judging(GOOD, ['consume'], (exchange, scan) => {
      expectTypedFields(exchange, ['scannedAt']);
      const wrong = wrongScanTime(exchange);
      if (wrong) scan.fail(...wrong);
    }),
  },
  {
    id: '2.3/every-scanned-at-is-now',
    phase: 'review',
    requirement: 'Every ticket that is consumed has a scannedAt, the time of its consumption.',
    cause: 'Some answers take their time from a cache, or from a server with another clock.',
    cells: reviewing(['consume'], (exchange) => {
      const { json } = exchange.answer;
      const isConsumed = exchange.level === 'stated' && isRecord(json) && json['valid'] === true;
      return isConsumed ? wrongScanTime(exchange) : undefined;
    }),
  },
  {
    id: '2.3/scanned-at-of-each-use',
    requirement: 'scannedAt is the time of this consumption: a later use has a later one.',
    cause: 'scannedAt is kept from the first use, or cut to the minute.',
    cells: [
      {
        endpoint: 'consume',
        keys: ['rest'],
        tickets: { multi: 1 },
        uses: { multi: 2 },
        async run(scan) {
          const { code } = scan.ticket('multi');
          const first = expectTypedFields(await scan.consume(code), ['scannedAt'])['scannedAt'];
          await sleep(SECONDS_APART_MS);
          const second = expectTypedFields(await scan.consume(code), ['scannedAt'])['scannedAt'];
          const [before, after] = [readTimestamp(first), readTimestamp(second)];
          if (!before || !after || after.epochMs <= before.epochMs)
            scan.fail(`scannedAt: later than ${show(first)}`, `scannedAt: ${show(second)}`);
        },
      },
    ],
  },
  {
    id: '2.3/ticket-id-unique',
    requirement: 'ticketId is different for each ticket.',
    cause: 'ticketId is the id of the event, the order or the type.',
    cells: REST.map(
      (endpoint): Cell => ({
        endpoint,
        samples: [sampleOf('single', endpoint), sampleOf('multi', endpoint)],
        async run(scan) {
          const one = objectOf(await scan.sample(sampleOf('single', endpoint)));
          const other = objectOf(await scan.sample(sampleOf('multi', endpoint)));
          if (one['ticketId'] === other['ticketId'])
            scan.fail('two tickets with two ids', `both have ticketId ${show(one['ticketId'])}`);
        },
      }),
    ),
  },
];

/** What scannedAt should be and what it is, where it is not the time of the consumption. */
function wrongScanTime(exchange: Exchange): [string, string] | undefined {
  const { scannedAt } = objectOf(exchange);
  const moment = readTimestamp(scannedAt);
  if (moment && nowsOf(exchange).some((now) => isNear(moment, now, CLOCK_TOLERANCE_MS))) return;
  return [
    `scannedAt: about ${exchange.startedAt.toISOString()}`,
    `scannedAt: ${show(scannedAt)}${moment?.hasZone === false ? ', without a zone: read as UTC' : ''}`,
  ];
}

function encloseNow(exchange: Exchange, scan: Scan): void {
  const result = expectTypedFields(exchange, ['validFrom', 'validUntil']);
  const from = readTimestamp(result['validFrom']);
  const until = readTimestamp(result['validUntil']);
  const now = exchange.startedAt.getTime();
  const isPast = (end?: Moment) => end && end.epochMs < now - CLOCK_TOLERANCE_MS;
  const isToCome = (end?: Moment) => end && end.epochMs > now + CLOCK_TOLERANCE_MS;
  if (isToCome(from) || isPast(until) || (from && until && from.epochMs > until.epochMs)) {
    scan.fail(
      `validFrom before and validUntil after ${exchange.startedAt.toISOString()}`,
      `validFrom: ${show(result['validFrom'])}, validUntil: ${show(result['validUntil'])}`,
    );
  }
}

function halfOpenCase(kind: 'openEnd' | 'openStart', open: string, closed: string): CheckCase {
  return {
    id: `2.3/window-with-${kind === 'openEnd' ? 'open-end' : 'open-start'}`,
    requirement: `A window that is open at one end shows ${open} null and ${closed} as a timestamp.`,
    cause: 'Half a window is shown as none, or the open end as a far date.',
    cells: judging([kind], REST, (exchange, scan) => {
      expectFields(exchange, { valid: true, [open]: null });
      const end = objectOf(exchange)[closed];
      if (!readTimestamp(end)) scan.fail(`${closed}: a timestamp`, `${closed}: ${show(end)}`);
    }),
  };
}

function windowCase(status: string, endpoint: RestEndpoint): CheckCase {
  return {
    id: `2.3/window-timestamps-${status}`,
    requirement: `validFrom and validUntil of a ${status} ticket with a window are ISO 8601 timestamps.`,
    cause: 'A date is sent as a number, without its time, or in a local format.',
    cells: judging(['windowed'], [endpoint], (exchange, scan) => {
      const result = expectTypedFields(exchange, ['validFrom', 'validUntil']);
      for (const name of ['validFrom', 'validUntil']) {
        if (result[name] === null) scan.fail(`${name}: an ISO 8601 timestamp`, `${name}: null`);
      }
    }),
  };
}

function holderPresentCase(status: string, endpoint: RestEndpoint): CheckCase {
  const kind: GoodKind = 'personalised';
  return {
    id: `2.3/holder-${status}`,
    requirement: `A personalised ticket that is ${status} shows its holder, with firstName and lastName.`,
    cause: 'The holder is left out, is one text, or has other field names.',
    cells: judging([kind], [endpoint], (exchange, scan) => {
      const { holder } = expectTypedFields(exchange, ['holder']);
      if (!isRecord(holder)) return;
      for (const name of ['firstName', 'lastName']) {
        if (typeof holder[name] !== 'string')
          scan.fail(`holder.${name}: string`, `holder.${name}: ${show(holder[name])}`);
      }
    }),
  };
}

/** The times that count as now: this machine's, and the server's own by its Date header. */
function nowsOf(exchange: Exchange): number[] {
  const date = Date.parse(exchange.answer.headers['date'] ?? '');
  const here = exchange.startedAt.getTime();
  return Number.isNaN(date) ? [here] : [here, date];
}
