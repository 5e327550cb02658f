import { ADMIN_PATH } from '../api/base-path.ts';
import type { ScanDone } from '../api/types.ts';
import {
  INVALID_TICKET,
  postScan,
  retryAfterMs,
  type ScanAnswer,
  type ScanAttempt,
  type ScanResult,
} from './scan-ticket.ts';

/** Scans as the account that is signed in. Never throws. */
export function scanAsAccount({ action, ticketCode, retryName }: ScanAttempt): Promise<ScanAnswer> {
  const body = { operation: action, ticketCode, requestId: retryName };
  return postScan(`${ADMIN_PATH}/scans`, { credentials: 'same-origin' }, body, answerFrom);
}

async function answerFrom(response: Response): Promise<ScanAnswer> {
  switch (response.status) {
    case 200:
      return { kind: 'decided', result: resultFrom((await response.json()) as ScanDone) };
    case 401:
      return { kind: 'signed_out' };
    case 403:
      return { kind: 'not_allowed' };
    case 422:
      // It is longer than any code.
      return { kind: 'decided', result: INVALID_TICKET };
    case 429:
      return { kind: 'too_many', retryAfterMs: retryAfterMs(response) };
    default:
      return { kind: 'unknown' };
  }
}

function resultFrom({ valid, status, reason, ticket, lastUse }: ScanDone): ScanResult {
  return { valid, status, ...(reason && { reason }), ...ticket, lastUse };
}
