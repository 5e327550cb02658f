/** Why a ticket was rejected (section 2.3). */
export type RejectionReason =
  | 'invalid_ticket'
  | 'event_not_allowed'
  | 'ticket_cancelled'
  | 'not_yet_valid'
  | 'expired'
  | 'missing_ticket_code';

/** The ticket and its uses in a result. */
export interface TicketUses {
  readonly ticketId: string;
  readonly ticketType: 'single' | 'multi';
  readonly usesAllowed: number;
  readonly usesConsumed: number;
  readonly usesRemaining: number;
}

/** ISO 8601 in UTC; null for no limit. */
export interface Validity {
  readonly validFrom?: string | null;
  readonly validUntil?: string | null;
}

interface Granted extends TicketUses, Validity {
  readonly valid: true;
  readonly message: string;
  /** Only when the ticket is personalised. */
  readonly holder?: { readonly firstName: string; readonly lastName: string };
}

/** The ticket is good; no use was taken. */
export interface ValidatedTicket extends Granted {
  readonly status: 'validated';
}

/** One use was taken: let the person in. */
export interface ConsumedTicket extends Granted {
  readonly status: 'consumed';
  /** ISO 8601. */
  readonly scannedAt: string;
}

/** All uses are used up. */
export interface ExhaustedTicket extends TicketUses {
  readonly valid: false;
  readonly status: 'exhausted';
  readonly message: string;
}

/** The ticket is denied, and `reason` says why. Includes the uses if the key has access to the ticket. */
export interface RejectedTicket extends Partial<TicketUses>, Validity {
  readonly valid: false;
  readonly status: 'rejected';
  readonly reason: RejectionReason;
  readonly message: string;
}

/** Genuine, but the service does not have it. */
export interface UnknownTicket {
  readonly valid: false;
  readonly status: 'not_found';
  readonly message: string;
}

/** An answer that keeps the gate shut. */
export type DeniedTicket = ExhaustedTicket | RejectedTicket | UnknownTicket;
/** The result of `validate`. */
export type ValidateResult = ValidatedTicket | DeniedTicket;
/** The result of `consume`. */
export type ConsumeResult = ConsumedTicket | DeniedTicket;
/** The result of either operation. */
export type ScanResult = ValidateResult | ConsumeResult;

export type Operation = 'validate' | 'consume';

/** Which HTTP status a result may come with (section 7.1): a gate opens on a 200 alone. */
const STATUSES = { exhausted: [200], rejected: [200, 400, 403], not_found: [404] } as const;
const GRANTS = { validate: 'validated', consume: 'consumed' } as const;

/**
 * The result in an answer; undefined when it is none. A grant must be whole and must be the grant of this operation: what is
 * in doubt opens nothing.
 */
export function readScanResult(
  operation: Operation,
  httpStatus: number,
  text: string,
): ScanResult | undefined {
  const body = parsed(text);
  if (typeof body?.['message'] !== 'string') return undefined;
  const isResult = body['valid'] === true ? isGrant : isDenial;
  return isResult(body, operation, httpStatus) ? (body as unknown as ScanResult) : undefined;
}

type Body = Readonly<Record<string, unknown>>;

function isGrant(body: Body, operation: Operation, httpStatus: number): boolean {
  if (httpStatus !== 200 || body['status'] !== GRANTS[operation] || !hasUses(body)) return false;
  return operation === 'validate' || typeof body['scannedAt'] === 'string';
}

function isDenial(body: Body, _: Operation, httpStatus: number): boolean {
  const { valid, status, reason } = body;
  if (valid !== false || typeof status !== 'string' || !Object.hasOwn(STATUSES, status)) {
    return false;
  }
  const statuses: readonly number[] = STATUSES[status as keyof typeof STATUSES];
  if (status === 'rejected' && typeof reason !== 'string') return false;
  return statuses.includes(httpStatus) && (status !== 'exhausted' || hasUses(body));
}

function hasUses(body: Body): boolean {
  const numbers = [body['usesAllowed'], body['usesConsumed'], body['usesRemaining']];
  return (
    typeof body['ticketId'] === 'string' &&
    (body['ticketType'] === 'single' || body['ticketType'] === 'multi') &&
    numbers.every((one) => typeof one === 'number')
  );
}

function parsed(text: string): Body | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? (body as Body) : undefined;
  } catch {
    return undefined;
  }
}
