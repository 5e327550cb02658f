import { corruptBase64, toBase64 } from './models/device-model.ts';
import { type FaultKind, isWireFault, type WireFault, type WireRequest } from './wire.ts';

/** How long a late answer is delayed beyond the Wait Time, and how long a slow body takes to send. */
const LATE_BY_MS = 500;
const SLOW_BODY_MS = 1000;
/** The content type of the fault `wrong-content-type`: seen on real controllers. */
const WRONG_CONTENT_TYPE = 'application/octet-stream';

/** The POST for one card. */
export interface CardRequest extends WireRequest {
  readonly code: string;
}

/** The POST as it leaves a device with the fault: some faults change what is sent. */
export function damagedRequest(request: CardRequest, fault: FaultKind | undefined): WireRequest {
  if (fault === 'wrong-content-type') return { ...request, contentType: WRONG_CONTENT_TYPE };
  if (fault === 'bad-base64') return { ...request, body: damaged(request.body, request.code) };
  return request;
}

/**
 * The fault as the connection makes it; undefined when the fault lies elsewhere.
 * @param waitTime how long the device waits for an answer, in units of 0.1 second
 */
export function wireFaultOf(fault: FaultKind | undefined, waitTime: number): WireFault | undefined {
  if (fault === undefined || !isWireFault(fault)) return undefined;
  const lateMs = waitTime * 100 + LATE_BY_MS;
  return { kind: fault, durationMs: fault === 'slow-body' ? SLOW_BODY_MS : lateMs };
}

/** Models without Base64 send the code itself; there the same damage is done to that. */
function damaged(body: string, code: string): string {
  const base64 = toBase64(code);
  const sent = body.includes(base64) ? base64 : code;
  return body.replace(sent, () => corruptBase64(sent));
}
