import { setTimeout as sleep } from 'node:timers/promises';
import type { CheckCase } from '../case.ts';
import type { Exchange } from '../exchange.ts';
import { expectAbsent, expectEqual, expectFields, expectTypedFields, objectOf } from '../expect.ts';
import { isRecord, show } from '../facts/json.ts';
import { isNear, readTimestamp } from '../facts/timestamp.ts';

const GENERAL = ['valid', 'status', 'message', 'ticketId', 'ticketType'];
const USES = ['usesAllowed', 'usesConsumed', 'usesRemaining'];
/** Clocks differ, and so do the moments of scanning and of answering. */
const CLOCK_TOLERANCE_MS = 120_000;
/** Far enough apart for a timestamp of whole seconds. */
const SECONDS_APART_MS = 1200;

/** Section 2.3: the fields of results that let somebody in. */
export const FIELD_CASES: readonly CheckCase[] = [
  {
    id: '2.3/validated-fields',
    level: 'stated',
    samples: ['single validated'],
    requirement:
      'A valid validate result carries the general and the use fields, each of its type.',
    cause: 'A field is missing, misspelt or of another type.',
    async run(scan) {
      expectTypedFields(await scan.sample('single validated'), [...GENERAL, ...USES]);
    },
  },
  {
    id: '2.3/validated-uses',
    level: 'stated',
    samples: ['single validated'],
    requirement: 'An unused single ticket shows 1 use allowed, 0 consumed and 1 remaining.',
    cause: 'A counter is taken from the wrong column, or starts at the wrong number.',
    async run(scan) {
      expectFields(await scan.sample('single validated'), {
        usesAllowed: 1,
        usesConsumed: 0,
        usesRemaining: 1,
      });
    },
  },
  {
    id: '2.3/window-open-is-null',
    level: 'stated',
    samples: ['single validated'],
    requirement: 'validFrom and validUntil are null when there is no start and no end.',
    cause: 'An open window is left out, or shown as an empty text or a far date.',
    async run(scan) {
      const result = objectOf(await scan.sample('single validated'));
      expectEqual(result['validFrom'], null, 'validFrom');
      expectEqual(result['validUntil'], null, 'validUntil');
    },
  },
  windowCase('validated', 'windowed validated'),
  windowCase('consumed', 'windowed consumed'),
  {
    id: '2.3/window-encloses-now',
    level: 'stated',
    samples: ['windowed validated'],
    requirement:
      'A ticket that is valid now has its validFrom before and its validUntil after now.',
    cause: 'The ends of the window are swapped, or in another time zone.',
    async run(scan) {
      const exchange = await scan.sample('windowed validated');
      const result = expectTypedFields(exchange, ['validFrom', 'validUntil']);
      const from = readTimestamp(result['validFrom']);
      const until = readTimestamp(result['validUntil']);
      const now = exchange.startedAt.getTime();
      const early = from?.hasZone && from.epochMs > now + CLOCK_TOLERANCE_MS;
      const late = until?.hasZone && until.epochMs < now - CLOCK_TOLERANCE_MS;
      if (early || late || (from && until && from.epochMs > until.epochMs)) {
        scan.fail(
          `validFrom before and validUntil after ${exchange.startedAt.toISOString()}`,
          `validFrom: ${show(result['validFrom'])}, validUntil: ${show(result['validUntil'])}`,
        );
      }
    },
  },
  holderPresentCase('validated', 'personalised validated'),
  holderPresentCase('consumed', 'personalised consumed'),
  {
    id: '2.3/holder-absent',
    level: 'stated',
    samples: ['single validated'],
    requirement: 'holder is present only if the ticket is personalised.',
    cause: 'The holder is always serialised, empty or null.',
    async run(scan) {
      expectAbsent(await scan.sample('single validated'), ['holder']);
    },
  },
  {
    id: '2.3/consumed-fields',
    level: 'stated',
    samples: ['single consumed'],
    requirement: 'A consume result carries the same fields, and scannedAt.',
    cause: 'The consume answer is built apart from the validate answer.',
    async run(scan) {
      const exchange = await scan.sample('single consumed');
      const result = expectTypedFields(exchange, [...GENERAL, ...USES, 'scannedAt']);
      expectEqual(result['validFrom'], null, 'validFrom');
      expectEqual(result['validUntil'], null, 'validUntil');
    },
  },
  {
    id: '2.3/consumed-uses',
    level: 'stated',
    samples: ['single consumed'],
    requirement: 'The result of consuming a single ticket shows 1 use consumed and 0 remaining.',
    cause: 'The answer shows the counters from before the use.',
    async run(scan) {
      expectFields(await scan.sample('single consumed'), {
        usesAllowed: 1,
        usesConsumed: 1,
        usesRemaining: 0,
      });
    },
  },
  {
    id: '2.3/scanned-at-is-now',
    level: 'stated',
    samples: ['multi consumed'],
    requirement: 'scannedAt is the time of the consumption.',
    cause:
      "scannedAt is the ticket's creation or another scan's time, or local time marked as UTC.",
    async run(scan) {
      const exchange = await scan.sample('multi consumed');
      const { scannedAt } = expectTypedFields(exchange, ['scannedAt']);
      const moment = readTimestamp(scannedAt);
      const near = nowsOf(exchange).some(
        (now) => moment && isNear(moment, now, CLOCK_TOLERANCE_MS),
      );
      if (!near) {
        scan.fail(
          `scannedAt: about ${exchange.startedAt.toISOString()}`,
          `scannedAt: ${show(scannedAt)}`,
        );
      }
    },
  },
  {
    id: '2.3/scanned-at-of-each-use',
    level: 'stated',
    keys: ['rest'],
    tickets: { multi: 1 },
    uses: { multi: 2 },
    requirement: 'scannedAt is the time of this consumption: a later use has a later one.',
    cause: 'scannedAt is kept from the first use, or cut to the minute.',
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
  {
    id: '2.3/ticket-id-unique',
    level: 'stated',
    samples: ['single validated', 'multi validated'],
    requirement: 'ticketId tells tickets apart.',
    cause: 'ticketId is the id of the event, the order or the type.',
    async run(scan) {
      const one = objectOf(await scan.sample('single validated'));
      const other = objectOf(await scan.sample('multi validated'));
      if (one['ticketId'] === other['ticketId'])
        scan.fail('two tickets with two ids', `both have ticketId ${show(one['ticketId'])}`);
    },
  },
];

function windowCase(status: string, sample: string): CheckCase {
  return {
    id: `2.3/window-timestamps-${status}`,
    level: 'stated',
    samples: [sample],
    requirement: `validFrom and validUntil of a ${status} ticket with a window are ISO 8601 timestamps.`,
    cause: 'A date is sent as a number, without its time, or in a local format.',
    async run(scan) {
      const result = expectTypedFields(await scan.sample(sample), ['validFrom', 'validUntil']);
      for (const name of ['validFrom', 'validUntil']) {
        if (result[name] === null) scan.fail(`${name}: an ISO 8601 timestamp`, `${name}: null`);
      }
    },
  };
}

function holderPresentCase(status: string, sample: string): CheckCase {
  return {
    id: `2.3/holder-${status}`,
    level: 'stated',
    samples: [sample],
    requirement: `A personalised ticket that is ${status} shows its holder, with firstName and lastName.`,
    cause: 'The holder is left out, is one text, or has other field names.',
    async run(scan) {
      const exchange = await scan.sample(sample);
      const { holder } = expectTypedFields(exchange, ['holder']);
      if (!isRecord(holder)) return;
      for (const name of ['firstName', 'lastName']) {
        if (typeof holder[name] !== 'string')
          scan.fail(`holder.${name}: string`, `holder.${name}: ${show(holder[name])}`);
      }
    },
  };
}

/** The times that count as now: this machine's, and the server's own by its Date header. */
function nowsOf(exchange: Exchange): number[] {
  const date = Date.parse(exchange.answer.headers['date'] ?? '');
  const here = exchange.startedAt.getTime();
  return Number.isNaN(date) ? [here] : [here, date];
}
