import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckCase, type Question, Undecided } from '../case.ts';
import { describeAnswer, type Exchange, type RequestSpec } from '../exchange.ts';
import { expectEqual, expectOnly, objectOf } from '../expect.ts';
import { FLOOD, flood, isLimited, sendAll } from '../flood.ts';
import type { Scan } from '../scan.ts';
import type { KeyName } from '../target.ts';

const BURST = 100;
const PER_SECOND = 50;
/** The bucket is full again after this, whatever was taken from it. */
const REFILL_MS = 2300;
/** Gateways that share a limit among processes count a little loosely. */
const LOOSE = 1.3;

/** Sections 8 and 7.2: 50 requests a second, bursts of 100, for each key. Run last, alone, without pacing. */
export const RATE_LIMIT_CASES: readonly CheckCase[] = [
  rateCase({
    id: '8/burst-of-100',
    keys: ['rest'],
    requirement: 'A rested key may send 100 requests at once.',
    cause: 'The bucket is smaller than the burst capacity, or is not full after a rest.',
    async run(scan) {
      const key = restKey(scan);
      const exchanges = await sendAll(scan, BURST, () => probe(scan, key));
      const limited = exchanges.filter(isLimited);
      if (limited.length > 0)
        scan.fail('none of 100 limited', `${limited.length} of 100 limited`, limited[0]);
    },
  }),
  rateCase({
    id: '8/429-beyond-the-limit',
    keys: ['rest'],
    requirement: 'Requests beyond the burst and 50 a second get 429.',
    cause: 'There is no rate limit, or it is not counted by key.',
    run: (scan) => exceed(scan, restKey(scan), probe),
  }),
  rateCase({
    id: '7.2/body-of-429',
    keys: ['rest'],
    requirement:
      'The body of a 429 has the single field message, with the text `Too Many Requests`.',
    cause: "The body is the gateway's or the framework's own.",
    async run(scan) {
      const key = restKey(scan);
      const limited = (await flood(scan, () => probe(scan, key))).find(isLimited);
      if (!limited) return new Undecided('no request was limited');
      expectEqual(objectOf(limited)['message'], 'Too Many Requests', 'message', limited);
      expectOnly(limited, ['message']);
      return undefined;
    },
  }),
  rateCase({
    id: '8/limit-is-per-key',
    keys: ['rest', 'restScoped'],
    requirement: 'The limit is per key: another key is served while one is limited.',
    cause: 'The limit is counted by address or for all keys together.',
    async run(scan) {
      let turn = 0;
      const exchanges = await flood(scan, () => {
        turn += 1;
        return probe(scan, turn % 8 === 0 ? 'rest' : 'restScoped');
      });
      if (!exchanges.some(isLimited)) return new Undecided('no request was limited');
      const other = exchanges.find((one) => isLimited(one) && isOf(one, scan.key('rest')));
      if (other) scan.fail('the other key served', describeAnswer(other.answer), other);
      return undefined;
    },
  }),
  rateCase({
    id: '8/limit-covers-all-endpoints',
    keys: ['rest'],
    requirement: 'The limit is per key, over all of its endpoints together.',
    cause: 'Each endpoint has a bucket of its own.',
    async run(scan) {
      const key = restKey(scan);
      let turn = 0;
      await exceedWith(scan, () => {
        turn += 1;
        const request = probe(scan, key);
        return turn % 2 === 0 ? request : { ...request, path: '/scan/consume' };
      });
    },
  }),
  rateCase({
    id: '8/recovers',
    keys: ['rest'],
    requirement: 'A limited key is served again when it waits.',
    cause: 'Refused requests count as well, or the key is locked out.',
    async run(scan) {
      const key = restKey(scan);
      const exchanges = await flood(scan, () => probe(scan, key));
      if (!exchanges.some(isLimited)) return new Undecided('no request was limited');
      await sleep(1200);
      const after = await sendAll(scan, 40, () => probe(scan, key));
      const limited = after.find(isLimited);
      if (limited)
        scan.fail('40 requests served after 1.2 s', describeAnswer(limited.answer), limited);
      return undefined;
    },
  }),
  rateCase({
    id: '8/steady-rate',
    keys: ['rest'],
    requirement: 'A key that used up its burst and then sends 40 requests a second is not limited.',
    cause: 'The limit is lower than 50 a second, or refills in steps.',
    async run(scan) {
      const key = restKey(scan);
      await flood(scan, () => probe(scan, key));
      await sleep(300);
      for (let round = 0; round < 10; round += 1) {
        const started = performance.now();
        const limited = (await sendAll(scan, 10, () => probe(scan, key))).find(isLimited);
        if (limited) scan.fail('none limited', describeAnswer(limited.answer), limited);
        await sleep(Math.max(0, 250 - (performance.now() - started)));
      }
    },
  }),
  rateCase({
    id: '8/device-limit',
    keys: ['hardware'],
    requirement: 'Device keys are limited as well: 429, or a denial.',
    cause: 'The device endpoints have no limit.',
    run: (scan) => exceed(scan, hardwareKey(scan), deviceProbe),
  }),
  {
    ...rateCase({
      id: '8/device-429',
      keys: ['hardware'],
      requirement: 'How a device is told that it sends too much.',
      cause: 'HTTP status codes of hardware endpoint errors are not shown.',
      async run(scan) {
        const key = hardwareKey(scan);
        const limited = (await flood(scan, () => deviceProbe(scan, key))).find(isLimited);
        return limited ? describeAnswer(limited.answer) : 'no request was limited';
      },
    }),
    level: 'unstated',
  },
  {
    ...rateCase({
      id: '8/retry-after',
      keys: ['rest'],
      requirement: 'Whether a 429 says when to come back.',
      cause: 'It is not shown.',
      async run(scan) {
        const key = restKey(scan);
        const limited = (await flood(scan, () => probe(scan, key))).find(isLimited);
        if (!limited) return 'no request was limited';
        return `Retry-After: ${limited.answer.headers['retry-after'] ?? 'none'}`;
      },
    }),
    level: 'unstated',
  },
];

type RateCase = Question & Pick<CheckCase, 'id' | 'requirement' | 'cause'>;

/** Rests first, so that the bucket is full. */
function rateCase(one: RateCase): CheckCase & RateCase {
  return {
    ...one,
    level: 'stated',
    phase: 'rate-limits',
    async run(scan) {
      await sleep(REFILL_MS);
      return one.run(scan);
    },
  };
}

/** The scoped keys take the load where there are some, so that the others stay free. */
function restKey(scan: Scan): KeyName {
  return scan.hasKey('restScoped') ? 'restScoped' : 'rest';
}

function hardwareKey(scan: Scan): KeyName {
  return scan.hasKey('hardwareScoped') ? 'hardwareScoped' : 'hardware';
}

/** A request that an accepted key may send, that takes no use of any ticket. */
function probe(scan: Scan, key: KeyName): RequestSpec {
  return scan.restRequest('validate', 'TS1.tkt_nobody_knows.AAAAAAAAAAAAAAAAAAAAAA', key);
}

function deviceProbe(scan: Scan, key: KeyName): RequestSpec {
  return scan.hardwareRequest('validate', 'TS1.tkt_nobody_knows.AAAAAAAAAAAAAAAAAAAAAA', key);
}

async function exceed(
  scan: Scan,
  key: KeyName,
  request: (scan: Scan, key: KeyName) => RequestSpec,
) {
  return exceedWith(scan, () => request(scan, key));
}

/** Sends more than is allowed, and wants the surplus refused. */
async function exceedWith(scan: Scan, request: () => RequestSpec) {
  const started = performance.now();
  const exchanges = await flood(scan, request);
  const seconds = (performance.now() - started) / 1000;
  const allowed = Math.ceil((BURST + PER_SECOND * seconds) * LOOSE);
  const served = exchanges.filter((exchange) => !isLimited(exchange));
  if (served.length > allowed) {
    scan.fail(
      `about ${Math.round(BURST + PER_SECOND * seconds)} requests in ${seconds.toFixed(1)} s served, the rest 429`,
      `${served.length} of ${exchanges.length} served`,
      served.at(-1),
    );
  }
  if (served.length < exchanges.length) return undefined;
  return new Undecided(
    `this client sent only ${Math.round(FLOOD / seconds)} requests a second, too few to exceed the limit`,
  );
}

function isOf({ request }: Exchange, key: string): boolean {
  return (request.headers ?? []).some(([name, value]) => name === 'x-api-key' && value === key);
}
