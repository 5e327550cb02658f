import { HEARTBEAT_BODY } from '../facts/device-answer.ts';
import {
  type Endpoint,
  endpointAt,
  isDevice,
  isRest,
  pathOf,
  type RequestSpec,
} from '../facts/exchange.ts';
import { isRecord, parsedJson } from '../facts/json.ts';

export const JSON_TYPE = ['content-type', 'application/json'] as const;
/** A key that no service knows. */
export const UNKNOWN_KEY = 'unknown-key-000000000000';
/** Has the form of a code and belongs to no ticket. */
export const UNKNOWN_CODE = 'TS1.tkt_nobody_knows.AAAAAAAAAAAAAAAAAAAAAA';

/** Shows a code to an endpoint, or sends a heartbeat, as the integration type does (section 4); without a key. */
export function keylessRequest(endpoint: Endpoint, code: string, Reader = 0): RequestSpec {
  const body = isDevice(endpoint)
    ? { Card: cardOf(code), Serial: ANY_DEVICE, Reader }
    : endpoint === 'heartbeat'
      ? HEARTBEAT_BODY
      : { ticketCode: code };
  return { path: pathOf(endpoint), headers: [JSON_TYPE], body: JSON.stringify(body) };
}

/** A keyless request with a key in the place that its integration type has for it (section 5). */
export function withKey(request: RequestSpec, key: string): RequestSpec {
  return isRest(endpointAt(request))
    ? { ...request, headers: [['x-api-key', key], ...(request.headers ?? [])] }
    : { ...request, query: [['key', key]] };
}

const BODY_MEMBERS: readonly string[] = ['ticketCode', 'Card', 'Serial', 'Reader'];

/**
 * True for a request that has nothing but what section 4 shows for its endpoint. How a service takes further headers, parameters and members
 * is not said.
 */
export function isPlain({
  method = 'POST',
  headers = [],
  query = [],
  isChunked,
  ...sent
}: RequestSpec) {
  const endpoint = endpointAt(sent);
  const names = headers.map(([name]) => name.toLowerCase()).filter((name) => name !== JSON_TYPE[0]);
  const isTyped = headers.some(([name, value]) => name === JSON_TYPE[0] && value === JSON_TYPE[1]);
  const keys = isRest(endpoint) ? names : query.map(([name]) => name);
  const others = isRest(endpoint) ? query.length : names.length;
  const isKeyAlone = keys.length <= 1 && ['x-api-key', 'key'].includes(keys[0] ?? 'key');
  if (method !== 'POST' || isChunked || !isTyped || others > 0 || !isKeyAlone) return false;
  return endpoint === 'heartbeat' || hasPlainBody(sent.body);
}

function hasPlainBody(body: RequestSpec['body']): boolean {
  const json = typeof body === 'string' ? parsedJson(body) : undefined;
  if (!isRecord(json)) return false;
  const { Serial = ANY_DEVICE, Reader = 0 } = json;
  return (
    Object.keys(json).every((name) => BODY_MEMBERS.includes(name)) &&
    typeof Serial === 'string' &&
    Serial !== '' &&
    typeof Reader === 'number'
  );
}

/** A code as a device sends it (section 2.4). */
export function cardOf(code: string): string {
  return Buffer.from(code).toString('base64');
}

/** The device that reads, where a case does not say which. */
export const ANY_DEVICE = 'CHECK-0001';
const ANY_SERIAL = `"Serial":"${ANY_DEVICE}"`;

/**
 * Lets another device read where a card comes again at `/scan/hw/consume`. A service may take a second read of a card by the same
 * device within some seconds for a repeat of the first, which counts no use.
 */
export class Serials {
  readonly #reads = new Map<string, number>();

  /** @returns the request, with a serial that has not read its card before; as it is where the case names the device */
  ownSerial(spec: RequestSpec): RequestSpec {
    const { body } = spec;
    if (endpointAt(spec) !== 'hw/consume' || typeof body !== 'string') return spec;
    if (!body.includes(ANY_SERIAL)) return spec;
    const read = (this.#reads.get(body) ?? 0) + 1;
    this.#reads.set(body, read);
    const serial = `"Serial":"CHECK-${String(read).padStart(4, '0')}"`;
    return { ...spec, body: body.replace(ANY_SERIAL, serial) };
  }
}
