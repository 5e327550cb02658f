import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpDeps } from './deps.ts';
import { type Endpoint, readBody, type ServedEndpoint, send } from './exchange.ts';
import { hardwareEndpoints } from './hardware-endpoints.ts';
import { restEndpoints } from './rest-endpoints.ts';
import type { ScanRefusals } from './scan-refusals.ts';

/**
 * The five endpoints of section 4 on bare HTTP. They are most of what a gate asks, and need nothing of the framework
 * that serves the rest: no routing, no parsing, no validation of its own (ADR 0006).
 * @returns a handler that answers scan paths and tells by false that another path is not its own
 */
export function scanEndpoints(
  deps: HttpDeps,
  refusals: ScanRefusals,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const around = deps.testHooks?.around ?? ((_path: string, endpoint: Endpoint) => endpoint);
  const endpoints = new Map<string, ServedEndpoint>();
  for (const [path, endpoint] of [...restEndpoints(deps), ...hardwareEndpoints(deps)]) {
    endpoints.set(path, around(path, endpoint));
  }
  return (request, response) => {
    const url = request.url ?? '';
    const mark = url.indexOf('?');
    const endpoint = endpoints.get(mark === -1 ? url : url.slice(0, mark));
    if (!endpoint) return false;
    if (request.method !== 'POST') {
      refuseMethod(response);
      return true;
    }
    const query = mark === -1 ? '' : url.slice(mark + 1);
    readBody(
      request,
      response,
      (body) => void endpoint({ request, response, query, body, refusals }),
    );
    return true;
  };
}

/** Section 4: all endpoints use POST. */
function refuseMethod(response: ServerResponse): void {
  const body = '{"message":"Method Not Allowed"}';
  send({ response }, 405, 'application/json; charset=utf-8', body, { allow: 'POST' });
}
