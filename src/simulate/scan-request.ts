import type { DeviceSettings } from './device-settings.ts';
import type { FaultKind } from './faults.ts';
import { corruptBase64, toBase64 } from './models/base64.ts';
import type { RequestFacts } from './models/device-model.ts';
import type { WireRequest } from './wire.ts';

/** The content type of the fault `wrong-content-type`: seen on real controllers. */
const WRONG_CONTENT_TYPE = 'application/octet-stream';

/** The POST for one card, damaged as `fault` asks. */
export function cardRequest(
  settings: DeviceSettings,
  code: string,
  facts: RequestFacts,
  fault: FaultKind | undefined,
): WireRequest {
  const { contentType, body, ...route } = settings.model.cardBody(code, facts);
  return {
    ...route,
    operation: settings.operation,
    code,
    contentType: fault === 'wrong-content-type' ? WRONG_CONTENT_TYPE : contentType,
    body: fault === 'bad-base64' ? damaged(body, code) : body,
  };
}

/** Models without Base64 send the code itself; there the same damage is done to that. */
function damaged(body: string, code: string): string {
  const base64 = toBase64(code);
  return body.includes(base64)
    ? body.replace(base64, () => corruptBase64(base64))
    : body.replace(code, () => corruptBase64(code));
}
