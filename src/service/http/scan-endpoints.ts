import type { IncomingMessage, ServerResponse } from 'node:http';
import { PlainConnections } from './connections.ts';
import type { HttpDeps } from './deps.ts';
import { deviceFileEndpoints } from './device-file-endpoints.ts';
import { type Endpoint, readRequest, type ServedEndpoint } from './exchange.ts';
import { hardwareEndpoints } from './hardware-endpoints.ts';
import { refuse } from './refusal.ts';
import { restEndpoints } from './rest-endpoints.ts';
import { DEVICES_PREFIX, HARDWARE_PREFIX } from './scan-paths.ts';
import type { ScanRefusals } from './scan-refusals.ts';

/**
 * The five endpoints of section 4 on bare HTTP. They are most of what a gate asks, and need nothing of the framework
 * that serves the rest: no routing, no parsing, no validation of its own (ADR 0006).
 * @returns a handler that answers these and all paths of devices, and returns false for any other path
 */
export function scanEndpoints(
  deps: HttpDeps,
  refusals: ScanRefusals,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const always200 = deps.hardwareAlways200;
  const around = deps.testHooks?.around ?? ((_path: string, endpoint: Endpoint) => endpoint);
  const endpoints = new Map<string, ServedEndpoint>();
  for (const [path, endpoint] of endpointsOf(deps)) endpoints.set(path, around(path, endpoint));
  const { deviceFiles } = deps;
  const answersDevice = deviceFiles && deviceFileEndpoints(deps, deviceFiles, refusals);
  return (request, response) => {
    const url = request.url ?? '';
    const [path, query] = splitTarget(url);
    const endpoint = endpoints.get(path);
    if (endpoint && request.method === 'POST') {
      readRequest(request, response, (body) => {
        void endpoint({ request, response, query, body, refusals });
      });
      return true;
    }
    if (answersDevice && url.startsWith(DEVICES_PREFIX)) return answersDevice(request, response);
    if (endpoint) refuse(response, 405, always200, { allow: 'POST' });
    else if (url.startsWith(HARDWARE_PREFIX)) refuse(response, 404, always200);
    else return false;
    return true;
  };
}

/** Has the plain requests to these endpoints answered without Node's HTTP. @param refusals as for `scanEndpoints` */
export function plainScans(
  deps: HttpDeps,
  refusals: ScanRefusals,
  keepAliveMs: number,
): PlainConnections {
  return new PlainConnections({ endpoints: new Map(endpointsOf(deps)), refusals, keepAliveMs });
}

function endpointsOf(deps: HttpDeps): [path: string, endpoint: Endpoint][] {
  return [...restEndpoints(deps), ...hardwareEndpoints(deps)];
}

function splitTarget(url: string): [path: string, query: string] {
  const mark = url.indexOf('?');
  return mark === -1 ? [url, ''] : [url.slice(0, mark), url.slice(mark + 1)];
}
