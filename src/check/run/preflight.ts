import type { KeyName } from '../deployment/target.ts';
import {
  describeAnswer,
  ENDPOINTS,
  type Endpoint,
  type Exchange,
  isRest,
  pathOf,
  type RequestSpec,
} from '../facts/exchange.ts';
import { TransportFailure, UnreachableError } from '../facts/failures.ts';
import { whyUnreadable } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { curlLine } from '../requests/redact.ts';
import { keylessRequest, withKey } from '../requests/scan-request.ts';
import type { Preflight } from '../results/result.ts';
import { NO_TICKET } from '../samples/samples.ts';
import type { Run } from './run-state.ts';

const GOOD_KEYS: readonly KeyName[] = ['rest', 'restScoped', 'hardware', 'hardwareScoped'];

/** What every request of the probes got, in words, and what to try. */
interface Sign {
  readonly isOn: (exchange: Exchange) => boolean;
  readonly observed: (exchange: Exchange, baseUrl: URL) => string;
  readonly advice: string;
}

/** Looked for in this order; each must be on every answer. */
const SIGNS: readonly Sign[] = [
  {
    isOn: ({ answer }) => answer.status >= 300 && answer.status < 400,
    observed: ({ answer }) =>
      `Every request is answered with a redirect to ${answer.headers['location'] ?? 'another address'}, which is not followed.`,
    advice: 'Give the address that it leads to as the base address.',
  },
  {
    isOn: ({ answer }) => answer.status === 404 && !isScanResult(answer.json),
    observed: (_, { href }) => `Every path of the scan API below ${href} answers HTTP 404.`,
    advice:
      'The base address ends where /scan begins: is a path missing, such as https://example.org/gate, or one too many?',
  },
  {
    isOn: ({ answer }) =>
      answer.status !== 404 &&
      answer.status < 500 &&
      whyUnreadable(answer)?.includes('not JSON') === true,
    observed: ({ answer }) =>
      `Every answer is something else than JSON: ${describeAnswer(answer, 60).replace(/\s+/g, ' ')}`,
    advice:
      'The base address is that of a web page, a proxy or another service: give that of the scan service.',
  },
  {
    isOn: ({ answer, request }) =>
      hasKey(request) && (read(answer).outcome === 'unauthorised' || answer.status === 401),
    observed: () => 'Every request with a key of the target file is refused with HTTP 401.',
    advice:
      'Are the keys those of this deployment, each under its type (rest, hardware)? A new store has new keys: write the target file anew.',
  },
];

/**
 * Asks each endpoint with each good key of its type, for a ticket that does not exist: what is wrong with every answer is wrong with
 * the address or the target file, and no case could say more.
 * @returns undefined where the cases can run
 */
export async function preflight(run: Run): Promise<Preflight | undefined> {
  const probes = ENDPOINTS.flatMap((endpoint) =>
    keysFor(endpoint, run).map((key) => probe(run, endpoint, key)),
  );
  const exchanges = (await Promise.all(probes)).filter((one) => one !== undefined);
  const [first] = exchanges;
  const [status] = exchanges.map(({ answer }) => answer.status);
  if (
    status !== undefined &&
    status >= 500 &&
    exchanges.every((one) => one.answer.status === status)
  )
    throw new UnreachableError(
      `${run.baseUrl.origin} answers every request with HTTP ${status}: the service behind it does not run.`,
    );
  const sign = SIGNS.find(({ isOn }) => exchanges.every(isOn));
  if (!first || !sign || exchanges.length < probes.length) return undefined;
  return {
    observed: run.redactor.redact(sign.observed(first, run.baseUrl)),
    advice: sign.advice,
    reproduce: curlLine(run.baseUrl, first.request, run.redactor),
  };
}

const OF_ANOTHER: readonly string[] = ['invalid_ticket', 'not_found'];
const LOOKS_MIN = 3;

/** Every good ticket was refused as one that was never issued here: no case could say more. */
export function ticketsOfAnother(run: Run): Preflight | undefined {
  const looks = run.exchanges.filter(({ caseId }) => caseId === 'tickets');
  const outcomes = new Set(looks.map(({ answer }) => read(answer).outcome));
  const [first] = looks;
  const [outcome = ''] = outcomes;
  if (!first || looks.length < LOOKS_MIN || outcomes.size > 1 || !OF_ANOTHER.includes(outcome))
    return undefined;
  return {
    observed: `Each of the ${looks.length} good tickets that were shown first is refused as "${outcome}".`,
    advice:
      'Did this deployment issue them? If not, write a new target file. If it did, it refuses its own codes: look at its signing keys.',
    reproduce: curlLine(run.baseUrl, first.request, run.redactor),
  };
}

function keysFor(endpoint: Endpoint, { target }: Run): (KeyName | undefined)[] {
  const good = GOOD_KEYS.filter(
    (name) => target.keys[name] !== undefined && name.startsWith('rest') === isRest(endpoint),
  );
  const hasAny = GOOD_KEYS.some((name) => target.keys[name] !== undefined);
  return hasAny ? good : [undefined];
}

async function probe(
  run: Run,
  endpoint: Endpoint,
  key: KeyName | undefined,
): Promise<Exchange | undefined> {
  const keyless = keylessRequest(endpoint, NO_TICKET);
  const value = key && run.target.keys[key];
  const request = value === undefined ? keyless : withKey(keyless, value);
  try {
    return await run.send(request, { id: `preflight ${pathOf(endpoint)}`, level: 'unstated' });
  } catch (error) {
    if (error instanceof TransportFailure) return undefined;
    throw error;
  }
}

function hasKey({ query = [], headers = [] }: RequestSpec): boolean {
  return [...query, ...headers].some(([name]) => name === 'key' || name === 'x-api-key');
}

function isScanResult(json: unknown): boolean {
  return typeof json === 'object' && json !== null && ('valid' in json || 'AcsRes' in json);
}
