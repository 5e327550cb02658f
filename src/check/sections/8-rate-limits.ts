import type { Cell, CheckCase, Seen } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { DEVICE_FIELDS, NOTE_BYTES_MAX, notStrings } from '../facts/device-answer.ts';
import {
  CONSUMES,
  DEVICE,
  describeAnswer,
  type Endpoint,
  type Exchange,
  HARDWARE,
  REST,
  SCANS,
  VALIDATES,
} from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { isRecord } from '../facts/json.ts';
import { expectEqual, expectFields, expectOnly, objectOf } from '../judging/expect.ts';
import { LARGER_BURST } from '../judging/symptom.ts';
import {
  describeRange,
  LESS,
  MORE,
  type RateFindings,
  type Side,
  UNITS,
} from '../rates/findings.ts';
import {
  isLimited,
  limitedOf,
  type RateHistory,
  rateHistory,
  undecided,
} from '../rates/history.ts';
import { limitedTakesNoUse, oneBucket, otherKeyIsServed, TRIES } from '../rates/sequences.ts';
import { on } from '../samples/matrix.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';

/** Software and devices in turns: the bucket of one key fills while the other key is used. */
const IN_TURNS = ['validate', 'hw/validate', 'consume', 'hw/consume', 'heartbeat'] as const;

/** Sections 8 and 7.2: 50 requests a second, bursts of 100, for each key. Run last, alone, without pacing. */
export const RATE_LIMIT_CASES: readonly CheckCase[] = (
  [
    {
      id: '8/burst-of-100',
      requirement: 'A rested key may send 100 requests at once.',
      cause:
        'The bucket is smaller than the burst capacity, is not full after a rest, or other keys empty it.',
      cells: ranged(IN_TURNS, 'burst', LESS),
    },
    {
      id: '8/429-beyond-the-limit',
      requirement: 'Of a burst, requests beyond 100 get 429.',
      cause: 'There is no rate limit, its burst is larger, or it is not counted by key.',
      cells: ranged(REST, 'burst', MORE),
    },
    {
      id: '7.2/body-of-429',
      requirement:
        'The body of a 429 has the single field message, with the text `Too Many Requests`.',
      cause: "The body is the gateway's or the framework's own.",
      cells: limitedAnswers(REST, (exchange) => {
        expectEqual(objectOf(exchange)['message'], 'Too Many Requests', 'message', exchange);
        expectOnly(exchange, ['message']);
      }),
    },
    {
      id: '7.3/limited-opens-no-door',
      requirement: 'A limited device is not let in.',
      cause: 'The limit changes the status of an answer, and not the answer.',
      cells: limitedAnswers(DEVICE, (exchange) => {
        const { json } = exchange.answer;
        if (isRecord(json) && (String(json['AcsRes']) === '1' || json['valid'] === true))
          throw new Deviation('no grant', describeAnswer(exchange.answer), exchange);
      }),
    },
    {
      id: '7.3/limited-device-format',
      level: 'observed',
      requirement:
        'A limited device gets a denial in the device format: AcsRes "0", and a Note of at most 32 bytes.',
      cause: 'The limit is in front of the device endpoints and answers as to software.',
      cells: limitedAnswers(DEVICE, expectDenial),
    },
    {
      id: '8/limit-is-per-key',
      requirement: 'The limit is per key: another key is served while one is limited.',
      cause: 'The limit is counted by address or for all keys together.',
      cells: on(VALIDATES, (endpoint) => ({
        keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
        run: (scan) => otherKeyIsServed(scan, endpoint),
      })),
    },
    {
      id: '8/limit-covers-all-endpoints',
      requirement: 'The limit is per key, over all of its endpoints together.',
      cause: 'Each endpoint has a bucket of its own, or this one has none.',
      buildsOn: ['8/429-beyond-the-limit', '8/device-limit'],
      cells: on(CONSUMES, (endpoint) => ({
        keys: [keyFor(endpoint)],
        run: (scan) => oneBucket(scan, endpoint),
      })),
    },
    {
      id: '8/recovers',
      requirement: 'A limited key is served again when it waits.',
      cause: 'Refused requests count as well, or the key is locked out.',
      cells: measured(IN_TURNS, (history, scan) => {
        const limited = limitedOf(history);
        const isServed = history.drill.rounds.map((round) =>
          round.some(({ outcome }) => outcome !== 'limited'),
        );
        if (isServed.includes(false))
          scan.fail(
            'some requests served after each pause',
            `none served after ${isServed.filter((one) => !one).length} of ${isServed.length} pauses`,
            limited,
          );
        return limited ? undefined : undecided(history, 'nothing');
      }),
    },
    {
      id: '8/steady-rate',
      requirement: 'A key regains 50 requests a second, at any intervals between its requests.',
      cause: 'The limit is lower than 50 a second, or refills in steps.',
      cells: ranged(IN_TURNS, 'rate', LESS),
    },
    {
      id: '8/no-more-than-50-a-second',
      requirement: 'A key that used up its burst regains no more than 50 requests a second.',
      cause:
        'The limit is higher than 50 a second, the bucket is full again after a short pause, or a window is counted instead of a bucket.',
      cells: ranged(IN_TURNS, 'rate', MORE),
    },
    {
      id: '8/device-limit',
      requirement:
        'Device keys are limited as well: of a burst, requests beyond 100 get 429, or a denial.',
      cause: 'The device endpoints have no limit, or another one.',
      cells: ranged(HARDWARE, 'burst', MORE),
    },
    {
      id: '8/limited-takes-no-use',
      requirement: 'A request that is limited takes no use of a ticket.',
      cause: 'The use is taken before the limit is asked, or beside it.',
      cells: on(CONSUMES, (endpoint) => ({
        keys: ['rest', keyFor(endpoint)],
        tickets: { multi: 1 },
        uses: { multi: TRIES },
        run: (scan) => limitedTakesNoUse(scan, endpoint),
      })),
    },
    {
      id: '8/device-429',
      level: 'unstated',
      requirement: 'What a device gets that sends too much.',
      cause: 'HTTP status codes of hardware endpoint errors are not shown.',
      cells: measured(HARDWARE, (history) => {
        const limited = limitedOf(history);
        return limited ? describeAnswer(limited.answer) : 'no request was limited';
      }),
    },
    {
      id: '8/retry-after',
      level: 'unstated',
      requirement: 'Whether a 429 says when to come back.',
      cause: 'It is not shown.',
      cells: measured(SCANS, (history) => {
        const limited = limitedOf(history);
        if (!limited) return 'no request was limited';
        return `Retry-After: ${limited.answer.headers['retry-after'] ?? 'none'}`;
      }),
    },
  ] satisfies CheckCase[]
).map((one): CheckCase => ({ ...one, phase: 'rate-limits' }));

/** Judges what an endpoint showed of its limits; whether heartbeats are limited is not said. */
function measured(
  endpoints: readonly Endpoint[],
  judge: (history: RateHistory, scan: Scan) => Seen,
): Cell[] {
  return on(endpoints, (endpoint) => ({
    keys: [keyFor(endpoint)],
    ...(endpoint === 'heartbeat' ? { level: 'unstated' } : {}),
    run: async (scan) => judge(await rateHistory(scan, endpoint), scan),
  }));
}

/** Wants a number of the limits to be as stated. */
function ranged(endpoints: readonly Endpoint[], what: keyof RateFindings, side: Side): Cell[] {
  return measured(endpoints, (history, scan) => {
    const [range, limit] = [history[what], scan.limits[what]];
    const seen = `${describeRange(range)} ${UNITS[what]}`;
    const evidence = side === LESS ? limitedOf(history) : history.exchanges.at(-1);
    const isBurst = side === MORE && what === 'burst';
    if (side.isWrong(range, limit))
      scan.fail(`${limit} ${UNITS[what]}`, seen, evidence, isBurst ? [LARGER_BURST] : undefined);
    return side.isUnclear(range, limit) ? undecided(history, seen) : seen;
  });
}

/** Judges every refusal for the rate. */
function limitedAnswers(
  endpoints: readonly Endpoint[],
  judge: (exchange: Exchange) => void,
): Cell[] {
  return measured(endpoints, (history) => {
    const limited = history.exchanges.filter(isLimited);
    for (const exchange of limited) judge(exchange);
    return limited.length === 0 ? undecided(history, 'nothing') : undefined;
  });
}

function expectDenial(exchange: Exchange): void {
  const answer = expectFields(exchange, { AcsRes: '0' });
  expectOnly(exchange, DEVICE_FIELDS);
  expectEqual(notStrings(answer), [], 'fields that are no strings', exchange);
  const bytes = typeof answer['Note'] === 'string' ? Buffer.byteLength(answer['Note']) : 0;
  expectEqual(bytes <= NOTE_BYTES_MAX, true, 'a Note of at most 32 bytes', exchange);
}
