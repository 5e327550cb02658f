import type { SCAN_STATUSES } from '../../core/outcome-names.ts';
import { BASE_PATH } from '../api/base-path.ts';

/** The JSON scan result of section 2.3, as far as the page shows it. */
interface ScanResult {
  readonly valid: boolean;
  readonly status: (typeof SCAN_STATUSES)[number];
  readonly reason?: string;
  readonly ticketId?: string;
  readonly usesRemaining?: number;
  readonly holder?: { readonly firstName: string; readonly lastName: string };
}

export type ScanAnswer =
  | { readonly kind: 'decided'; readonly result: ScanResult }
  | { readonly kind: 'key_refused' }
  /** Certain that this request registered no use. */
  | { readonly kind: 'too_many'; readonly retryAfterMs: number }
  /** Nobody knows whether the use was registered. */
  | { readonly kind: 'unknown' };

export interface ScanAttempt {
  readonly action: 'consume' | 'validate';
  readonly key: string;
  readonly ticketCode: string;
  /** The same for every attempt at the same scan, so that it counts once. */
  readonly retryName: string;
  /** An earlier request of this attempt may have registered a use. */
  readonly inDoubt?: boolean;
}

const TIMEOUT_MS = 10_000;

/** Asks the scan API (sections 4.1 and 4.2), as any other software would; no session goes with it. Never throws. */
export async function scanTicket(attempt: ScanAttempt): Promise<ScanAnswer> {
  try {
    const response = await fetch(`${BASE_PATH}/scan/${attempt.action}`, {
      method: 'POST',
      credentials: 'omit',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        'content-type': 'application/json',
        'x-api-key': attempt.key,
        ...(attempt.action === 'consume' && { 'idempotency-key': attempt.retryName }),
      },
      body: JSON.stringify({ ticketCode: attempt.ticketCode }),
    });
    if (response.status === 401) return { kind: 'key_refused' };
    if (response.status === 429) {
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      return { kind: 'too_many', retryAfterMs: (Number.isFinite(seconds) ? seconds : 1) * 1000 };
    }
    const result = (await response.json()) as Partial<ScanResult>;
    if (typeof result.valid !== 'boolean') return { kind: 'unknown' };
    return { kind: 'decided', result: result as ScanResult };
  } catch {
    return { kind: 'unknown' };
  }
}

/** A name for one scan. Not `randomUUID`: that is missing on pages over plain HTTP. */
export function newRetryName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
}
