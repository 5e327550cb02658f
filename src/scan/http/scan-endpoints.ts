import type { IncomingMessage, ServerResponse } from 'node:http';
import { detectScan } from '../devices/detect.ts';
import { contactFrom } from '../devices/heartbeat.ts';
import type { ScanningDevice } from '../scan-service.ts';
import { PlainConnections } from './connections.ts';
import {
  deviceFileEndpoints,
  hardwareEndpoints,
  NO_BODY,
  readDeviceBody,
} from './device-endpoints.ts';
import type {
  Endpoint,
  HttpDeps,
  RefusalReporter,
  ServedEndpoint,
  ServedExchange,
} from './exchange.ts';
import { refuse } from './refusal.ts';
import { readRequest } from './request-body.ts';
import { readTicketCode, restEndpoints } from './rest-endpoints.ts';
import {
  DEVICES_PREFIX,
  HARDWARE_PATHS,
  HARDWARE_PREFIX,
  HEARTBEAT_PATH,
  splitTarget,
} from './scan-paths.ts';

/**
 * The five endpoints of section 4 on bare HTTP. They are most of what a gate asks, and need nothing of the framework
 * that serves the rest: no routing, no parsing, no validation of its own (ADR 0006).
 * @returns a handler that answers these and all paths of devices, and returns false for any other path
 */
export function scanEndpoints(
  deps: HttpDeps,
  refusals: RefusalReporter,
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
    if (endpoint) {
      refusals.refused('wrong_method', request, request.method);
      refuse(response, 405, always200, { allow: 'POST' });
    } else if (url.startsWith(HARDWARE_PREFIX)) {
      refusals.refused('unknown_path', request);
      refuse(response, 404, always200);
    } else return false;
    return true;
  };
}

/** Has the plain requests to these endpoints answered without Node's HTTP. @param refusals as for `scanEndpoints` */
export function plainScans(
  deps: HttpDeps,
  refusals: RefusalReporter,
  keepAliveMs: number,
): PlainConnections {
  return new PlainConnections({ endpoints: new Map(endpointsOf(deps)), refusals, keepAliveMs });
}

function endpointsOf(deps: HttpDeps): [path: string, endpoint: Endpoint][] {
  return [...restEndpoints(deps), ...hardwareEndpoints(deps)];
}

/** The content of a request to a scan path, as its endpoint reads it. */
export interface ScanContent {
  /** The value of the key as it was presented, valid or not; undefined for none, or for two. */
  readonly keyValue: string | undefined;
  readonly ticketCode: string | undefined;
  /** The device that scanned; only the hardware endpoints have one. */
  readonly device: Pick<ScanningDevice, 'model' | 'serial' | 'reader'> | undefined;
}

const DEVICE_PATHS: readonly string[] = [...Object.values(HARDWARE_PATHS), HEARTBEAT_PATH];

/** Reads a request for observers; the endpoint reads it again. */
export function scanContentOf(path: string, exchange: ServedExchange): ScanContent {
  const { request, query, body } = exchange;
  if (!DEVICE_PATHS.includes(path)) {
    const value = request.headers['x-api-key'];
    const keyValue = typeof value === 'string' ? value : undefined;
    const { ticketCode } = readTicketCode(body, request.headers['content-type']);
    return { keyValue, ticketCode, device: undefined };
  }
  const [keyValue, ...others] = new URLSearchParams(query).getAll('key');
  const deviceBody = typeof body === 'string' ? NO_BODY : readDeviceBody(body);
  const known = { keyValue: others.length > 0 ? undefined : keyValue };
  if (path === HEARTBEAT_PATH) {
    const { model, serial } = contactFrom(deviceBody, '');
    return {
      ...known,
      ticketCode: undefined,
      device: { model, serial: serial || null, reader: null },
    };
  }
  const { model, scan } = detectScan(deviceBody);
  const { ticketCode, serial, reader } = scan;
  return { ...known, ticketCode, device: { model: model.id, serial, reader } };
}
