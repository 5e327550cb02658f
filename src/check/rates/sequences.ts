import { Inconclusive, type Seen } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import {
  type ConsumeEndpoint,
  describeAnswer,
  type Endpoint,
  type Exchange,
  HARDWARE,
  isDevice,
  REST,
  type RequestSpec,
} from '../facts/exchange.ts';
import { objectOf } from '../judging/expect.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';
import { describeRange, MORE, UNITS } from './findings.ts';
import {
  floodKey,
  isLimited,
  limitedOf,
  measure,
  type RateHistory,
  requestTakingNoUse,
  rest,
  undecided,
} from './history.ts';

/** How often a card is shown while its key is limited. */
export const TRIES = 3;

/** One key is limited, and the other sends a little. */
export async function otherKeyIsServed(scan: Scan, endpoint: Endpoint): Promise<Seen> {
  const [spared, flooded] = [keyFor(endpoint), scopedKeyFor(endpoint)];
  await rest(scan, scan.key(spared));
  const history = await measure(scan, () => requestTakingNoUse(scan, endpoint, flooded), []);
  if (!limitedOf(history)) return undecided(history, 'nothing');
  const others = await Promise.all(
    Array.from({ length: 30 }, () => scan.unpaced(requestTakingNoUse(scan, endpoint, spared))),
  );
  const refused = others.find(isLimited);
  if (refused) scan.fail('the other key served', describeAnswer(refused.answer), refused);
  return undefined;
}

/** The requests of one key go to two endpoints in turns: they share its bucket. */
export async function oneBucket(scan: Scan, endpoint: ConsumeEndpoint): Promise<Seen> {
  const key = floodKey(scan, endpoint);
  const places = isDevice(endpoint) ? HARDWARE.slice(0, 2) : REST;
  let turn = 0;
  const history = await measure(scan, () => {
    turn += 1;
    return requestTakingNoUse(scan, places[turn % 2] ?? endpoint, key);
  }, []);
  const seen = `${describeRange(history.burst)} ${UNITS.burst}`;
  const { burst } = scan.limits;
  if (MORE.isWrong(history.burst, burst))
    scan.fail(`${burst} ${UNITS.burst}, over both endpoints`, seen, history.exchanges.at(-1));
  return MORE.isUnclear(history.burst, burst) ? undecided(history, seen) : undefined;
}

/** Shows a card while the key is limited; what the counter says afterwards are the uses that were granted. */
export async function limitedTakesNoUse(scan: Scan, endpoint: ConsumeEndpoint): Promise<Seen> {
  const key = floodKey(scan, endpoint);
  const { code } = scan.ticket('multi');
  const before = objectOf(await scan.validate(code))['usesConsumed'];
  const history = await measure(scan, () => requestTakingNoUse(scan, endpoint, key), []);
  if (!limitedOf(history)) return undecided(history, 'nothing');
  const shown: Exchange[] = [];
  for (let i = 0; i < TRIES; i += 1)
    shown.push(await showAmong(scan, scan.request(endpoint, code, key), history));
  const refused = shown.find(isLimited);
  if (!refused) return new Inconclusive('the card was shown only when the key was not limited');
  const granted = shown.filter(isGranted).length;
  await scan.pause(1000);
  const after = objectOf(await scan.validate(code))['usesConsumed'];
  if (after !== Number(before) + granted)
    scan.fail(
      `usesConsumed ${Number(before) + granted}: ${granted} of ${TRIES} consumes were served`,
      `usesConsumed ${after}`,
      refused,
    );
  return undefined;
}

/** Shows a card amid other requests, as many as keep the key limited, also on a slow connection. */
async function showAmong(
  scan: Scan,
  card: RequestSpec,
  { exchanges, slowestMs }: RateHistory,
): Promise<Exchange> {
  const plain = exchanges[0]?.request ?? card;
  const regained = (scan.limits.rate * Math.min(slowestMs, 1000)) / 1000;
  const others = () => Array.from({ length: 6 + Math.ceil(regained) }, () => scan.unpaced(plain));
  const before = others();
  const shown = scan.unpaced(card);
  await Promise.all([...before, ...others()]);
  return shown;
}

function isGranted({ answer: { json } }: Exchange): boolean {
  const body = json as { status?: unknown; AcsRes?: unknown } | null | undefined;
  return body?.status === 'consumed' || body?.AcsRes === '1';
}
