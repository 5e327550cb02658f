import { HEARTBEAT_BODY } from '../facts/heartbeat.ts';
import { type Endpoint, endpointAt, isDevice, isRest, pathOf } from './endpoint.ts';
import type { RequestSpec } from './exchange.ts';
import { ANY_DEVICE } from './serials.ts';

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

/** A code as a device sends it (section 2.4). */
export function cardOf(code: string): string {
  return Buffer.from(code).toString('base64');
}
