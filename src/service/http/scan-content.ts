import { detectScan } from '../devices/detect.ts';
import { contactFrom } from '../devices/heartbeat.ts';
import type { ServedExchange } from './exchange.ts';
import { readDeviceBody } from './hardware-endpoints.ts';
import { readTicketCode } from './rest-endpoints.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH } from './scan-paths.ts';

/** What a request to a scan path holds, read as its endpoint reads it. */
export interface ScanContent {
  /** As it was presented, valid or not; undefined for none, or for two. */
  readonly keyValue: string | undefined;
  readonly ticketCode: string | undefined;
  /** On the hardware endpoints. */
  readonly device:
    | {
        readonly model: string;
        readonly serial: string | null;
        readonly reader: string | null;
      }
    | undefined;
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

const NO_BODY = { text: undefined, json: undefined };
