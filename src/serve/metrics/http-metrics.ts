import type { Server } from 'node:http';
import { Histogram, type Registry } from 'prom-client';
import { PLAIN_ANSWER, type PlainAnswer } from '../../scan/http/connections.ts';
import {
  HARDWARE_PATHS,
  HARDWARE_PREFIX,
  HEARTBEAT_PATH,
  REST_PATHS,
} from '../../scan/http/scan-paths.ts';

/** The buckets of the OpenTelemetry conventions, with two below: most scans take a millisecond or two. */
const SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
];
const WHOLE_PATHS: ReadonlySet<string> = new Set([
  ...Object.values(REST_PATHS),
  ...Object.values(HARDWARE_PATHS),
  HEARTBEAT_PATH,
  '/healthz',
  '/readyz',
]);
const PREFIXES = [HARDWARE_PREFIX, '/admin/v1/', '/devices/', '/_test/'];
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);
const STREAM = 'text/event-stream';

type Label = 'http_request_method' | 'http_route' | 'http_response_status_code';

/** Measures every answered request of a server, as the OpenTelemetry conventions for HTTP servers name it. */
export function measureHttp(server: Server, registry: Registry): void {
  const duration = new Histogram<Label>({
    name: 'http_server_request_duration_seconds',
    help: 'Time from the head of a request to the end of its answer; live views are left out.',
    labelNames: ['http_request_method', 'http_route', 'http_response_status_code'],
    buckets: SECONDS,
    registers: [registry],
  });
  server.on(PLAIN_ANSWER, ({ path, status, seconds }: PlainAnswer) => {
    const labels = { http_request_method: 'POST', http_route: routeOf(path) };
    duration.observe({ ...labels, http_response_status_code: status }, seconds);
  });
  server.prependListener('request', (request, response) => {
    const beganAt = performance.now();
    const { method = '', url = '' } = request;
    response.once('finish', () => {
      if (String(response.getHeader('content-type')).startsWith(STREAM)) return;
      const seconds = (performance.now() - beganAt) / 1000;
      const labels = {
        http_request_method: METHODS.has(method) ? method : '_OTHER',
        http_route: routeOf(url),
        http_response_status_code: response.statusCode,
      };
      duration.observe(labels, seconds);
    });
  });
}

/** One of a few names: the paths of clients must not become labels. */
function routeOf(url: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  if (WHOLE_PATHS.has(path)) return path;
  const prefix = PREFIXES.find((one) => path.startsWith(one));
  return prefix === undefined ? '/*' : `${prefix}*`;
}
