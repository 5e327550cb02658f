import { Inconclusive } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  type Endpoint,
  type Exchange,
  endpointAt,
  isDevice,
  isRest,
  keyIn,
  type RequestSpec,
} from '../facts/exchange.ts';
import { TransportFailure } from '../facts/failures.ts';
import { isRecord } from '../facts/json.ts';
import { UNKNOWN_CODE } from '../requests/scan-request.ts';
import { type Drill, drill, restMs } from './drill.ts';
import { findingsOf, type RateFindings } from './findings.ts';
import type { ReadingOutcome } from './reading.ts';

/** What an endpoint showed of its limits. */
export interface RateHistory extends RateFindings {
  readonly drill: Drill;
  readonly exchanges: readonly Exchange[];
  /** The longest answer, in milliseconds. */
  readonly slowestMs: number;
}

/** The key that takes the load: a scoped one where there is one, so that the others stay free. */
export function floodKey(scan: Scan, endpoint: Endpoint): KeyName {
  if (isRest(endpoint)) return scan.hasKey('restScoped') ? 'restScoped' : 'rest';
  return scan.hasKey('hardwareScoped') ? 'hardwareScoped' : 'hardware';
}

/** A request that an accepted key may send, which takes no use of any ticket. */
export function requestTakingNoUse(scan: Scan, endpoint: Endpoint, key: KeyName): RequestSpec {
  return scan.request(endpoint, UNKNOWN_CODE, key);
}

/** What the endpoint's limits are, measured once a run. */
export async function rateHistory(scan: Scan, endpoint: Endpoint): Promise<RateHistory> {
  const history = await scan.once(`rates@${endpoint}`, () => {
    const request = requestTakingNoUse(scan, endpoint, floodKey(scan, endpoint));
    return measure(scan, () => request);
  });
  for (const exchange of history.exchanges) scan.judges(exchange);
  return history;
}

/**
 * Floods one key, when its bucket is full.
 * @param next the next request, all of the same key
 * @throws TransportFailure when requests got no answer and none was limited
 */
export async function measure(
  scan: Scan,
  next: () => RequestSpec,
  pauses?: readonly number[],
): Promise<RateHistory> {
  const { limits } = scan;
  const exchanges: Exchange[] = [];
  let lost: TransportFailure | undefined;
  const send = async (): Promise<ReadingOutcome> => {
    try {
      const exchange = await scan.unpaced(next());
      exchanges.push(exchange);
      return isLimited(exchange) ? 'limited' : 'served';
    } catch (error) {
      if (!(error instanceof TransportFailure)) throw error;
      lost = error;
      return 'lost';
    }
  };
  await rest(scan, keyIn(next()));
  const found = await drill(limits, send, scan.clock, pauses);
  if (lost && !exchanges.some(isLimited)) throw lost;
  const slowestMs = Math.max(...exchanges.map(({ durationMs }) => durationMs));
  return { ...findingsOf(found, limits), drill: found, exchanges, slowestMs };
}

/** Waits until the key's bucket is full. */
export async function rest(scan: Scan, key: string | undefined): Promise<void> {
  const last = scan.exchanges().findLast(({ request }) => keyIn(request) === key);
  const idleMs = last ? scan.clock.now() - last.startedMs - last.durationMs : 0;
  await scan.pause(Math.max(0, restMs(scan.limits) - idleMs));
}

/** Why nothing can be said. */
export function undecided({ drill: found, slowestMs }: RateHistory, seen: string): Inconclusive {
  const all = [...found.burst, ...found.rounds.flat()];
  if (all.some(({ outcome }) => outcome === 'limited'))
    return new Inconclusive(
      `answers took up to ${Math.round(slowestMs)} ms, too long to know more than: ${seen}`,
    );
  const times = found.burst.flatMap(({ sentAt, answeredAt }) => [sentAt, answeredAt]);
  const perSecond = (found.burst.length * 1000) / (Math.max(...times) - Math.min(...times));
  return new Inconclusive(
    `no request was limited: this client sent only ${Math.round(perSecond)} requests a second`,
  );
}

/** Refused for the rate: 429, or a device's denial that is not the one of a forged card. */
export function isLimited({ answer, request }: Exchange): boolean {
  if (answer.status === 429) return true;
  const endpoint = endpointAt(request);
  if (endpoint === undefined || !isDevice(endpoint) || !isRecord(answer.json)) return false;
  return answer.json['AcsRes'] === '0' && answer.json['Note'] !== 'Ungültiges Ticket';
}

/** The first answer that refused a request for the rate. */
export function limitedOf({ exchanges }: RateHistory): Exchange | undefined {
  return exchanges.find(isLimited);
}
