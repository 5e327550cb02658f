import type { SCAN_STATUSES } from '../../core/outcome-names.ts';
import {
  ApiFailure,
  addressOf,
  BASE_PATH,
  call,
  fetchInLanguage,
  type ScanDone,
  type Ticket,
} from '../api/http.ts';
import { codedId, printedId } from './scan-ids.ts';

/** The JSON scan result of section 2.3, as far as the page shows it, with what a signed-in account is told besides. */
export interface ScanResult extends Partial<Omit<Ticket, 'holder'>> {
  readonly valid: boolean;
  readonly status: (typeof SCAN_STATUSES)[number];
  readonly reason?: string;
  /** What was typed or scanned, where it is no ticket code. */
  readonly searchFor?: string;
  readonly holder?: Ticket['holder'];
  /** The answer to a scan with a key does not say it. */
  readonly usesTaken?: number;
  readonly eventName?: string;
  /** What a reader seems to have done to an invalid code. */
  readonly hint?: string | null;
  /** Null when there was none; the answer to a scan with a key does not say it. */
  readonly lastUse?: ScanDone['lastUse'];
}

export type ScanAnswer =
  | { readonly kind: 'decided'; readonly result: ScanResult }
  | { readonly kind: 'key_refused' }
  /** The session has ended, or the phone is paired no more. */
  | { readonly kind: 'signed_out' }
  /** The account may not scan any more. */
  | { readonly kind: 'not_allowed' }
  /** Certain that this request registered no use. */
  | { readonly kind: 'too_many'; readonly retryAfterMs: number }
  /** The ticket has fewer uses left than were asked for at once; none was taken. */
  | { readonly kind: 'too_few'; readonly left: number }
  /** Nobody knows whether the use was registered. `why`, where there was an answer: it is no result of a scan, or not of this one. */
  | { readonly kind: 'unknown'; readonly why?: 'no_result' | 'other_ticket' };

export interface ScanAttempt {
  readonly action: 'consume' | 'validate';
  /** Null scans as the account that is signed in. */
  readonly key: string | null;
  readonly ticketCode: string;
  /** The same for every attempt at the same scan, so that it counts once. */
  readonly retryName: string;
  /** An earlier request of this attempt may have registered a use. */
  readonly inDoubt?: boolean;
  /** A check whose answer asks a person whether a use is taken. */
  readonly asks?: true;
  /** A person has seen what the ticket is, and what is written on it: before the scan, or since its answer. */
  readonly isSeen?: true;
  /** A person chose the ticket, and read no code: the log says so. */
  readonly byHand?: true;
  /** How many uses are taken at once, all or none; 1 if this is missing. */
  readonly uses?: number;
  /** A consume at a way out: it counts a person out, and takes no use. */
  readonly direction?: 'out';
}

/** Something in between, as the page of a portal, may answer with a page or with JSON of its own: that decides nothing. */
const NO_RESULT: ScanAnswer = { kind: 'unknown', why: 'no_result' };
const TIMEOUT_MS = 10_000;

/** Asks the scan API (sections 4.1 and 4.2), as any other software would; no session goes with it. Never throws. */
async function scanWithKey(attempt: ScanAttempt, key: string): Promise<ScanAnswer> {
  const ticketCode = await codeFor(attempt.ticketCode);
  if (ticketCode === undefined) return { kind: 'unknown' };
  if (typeof ticketCode !== 'string') {
    return { kind: 'decided', result: { valid: false, ...ticketCode } };
  }
  const headers = {
    'x-api-key': key,
    ...(attempt.action === 'consume' && { 'idempotency-key': attempt.retryName }),
  };
  const path = `${BASE_PATH}/scan/${attempt.action}`;
  return postScan(path, { credentials: 'omit', headers }, { ticketCode }, answerFrom);
}

async function answerFrom(response: Response): Promise<ScanAnswer> {
  if (response.status === 401) return { kind: 'key_refused' };
  if (response.status === 429) return { kind: 'too_many', retryAfterMs: retryAfterMs(response) };
  return decided((await response.json()) as ScanResult | null);
}

/** There is no such ticket, or this account may not see its code. */
type NoCode = Pick<ScanResult, 'status' | 'reason'>;

/**
 * Scans with a key need the code; who may see codes looks it up by the identifier that is printed on the ticket.
 * @returns why there is no code; undefined when nobody answered; the text itself when it is no identifier
 */
async function codeFor(text: string): Promise<string | NoCode | undefined> {
  const id = printedId(text);
  if (id === undefined) return text;
  try {
    const { code } = await call('GET /tickets/:id', { id }, AbortSignal.timeout(TIMEOUT_MS));
    return code ?? { status: 'rejected', reason: 'code_needed' };
  } catch (error) {
    const { status } = error instanceof ApiFailure ? error : { status: 0 };
    if (status === 404) return { status: 'not_found' };
    return status === 0 || status >= 500 ? undefined : text;
  }
}

/** Posts a scan. No answer in time, and one that cannot be read, say nothing about the use. */
async function postScan(
  path: string,
  options: Pick<RequestInit, 'credentials'> & { readonly headers?: Record<string, string> },
  body: unknown,
  answerFrom: (response: Response) => Promise<ScanAnswer>,
): Promise<ScanAnswer> {
  try {
    const response = await fetchInLanguage(path, {
      ...options,
      method: 'POST',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { ...options.headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return await answerFrom(response);
  } catch (error) {
    return error instanceof SyntaxError ? NO_RESULT : { kind: 'unknown' };
  }
}

/** How long a 429 wants the page to wait. */
function retryAfterMs(response: Response): number {
  const seconds = Number(response.headers.get('retry-after') ?? 1);
  return (Number.isFinite(seconds) ? seconds : 1) * 1000;
}

/** A name for one scan. Not `randomUUID`: that is missing on pages over plain HTTP. */
export function newRetryName(): string {
  return Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join('-');
}

/** Scans as the account that is signed in. Never throws. */
function scanAsAccount(attempt: ScanAttempt): Promise<ScanAnswer> {
  const { action, ticketCode, retryName, byHand, uses, direction } = attempt;
  const several = uses !== undefined && { uses };
  const asked = { operation: action, ticketCode, requestId: retryName };
  const body = { ...asked, ...(byHand && { byHand }), ...several, ...(direction && { direction }) };
  return postScan(addressOf('POST /scans'), { credentials: 'same-origin' }, body, accountAnswer);
}

async function accountAnswer(response: Response): Promise<ScanAnswer> {
  const refused = { valid: false, status: 'rejected', reason: 'invalid_ticket' } as const;
  switch (response.status) {
    case 200:
      return decided(resultFrom((await response.json()) as ScanDone | null));
    case 401:
      return { kind: 'signed_out' };
    case 403:
      return { kind: 'not_allowed' };
    case 422: {
      const { code } = (await response.json()) as { readonly code?: unknown };
      // It is longer than any code. Any other refusal, as of a name that belongs to another scan, says nothing about the ticket.
      return code === 'invalid_request'
        ? { kind: 'decided', result: refused }
        : { kind: 'unknown' };
    }
    case 409: {
      const { code, values } = (await response.json()) as {
        code?: unknown;
        values?: { left: number };
      };
      return code === 'too_few_uses' && values
        ? { kind: 'too_few', left: values.left }
        : { kind: 'unknown' };
    }
    case 429:
      return { kind: 'too_many', retryAfterMs: retryAfterMs(response) };
    default:
      return { kind: 'unknown' };
  }
}

function resultFrom(done: ScanDone | null): ScanResult | null {
  if (!done) return null;
  const { valid, status, reason, ticket, usesTaken, lastUse, hint } = done;
  return { valid, status, ...(reason && { reason }), ...ticket, usesTaken, lastUse, hint };
}

const GRANTED: readonly unknown[] = ['validated', 'consumed'];
const DENIED: readonly unknown[] = ['exhausted', 'rejected', 'not_found'];

function decided(result: ScanResult | null): ScanAnswer {
  const statuses = result?.valid === true ? GRANTED : result?.valid === false ? DENIED : [];
  if (!result || !statuses.includes(result.status)) return NO_RESULT;
  return { kind: 'decided', result };
}

/** An answer counts for the ticket that was asked about: one that names another, or admits nobody in particular, decides nothing. */
function ofThisTicket(answer: ScanAnswer, attempt: ScanAttempt): ScanAnswer {
  if (answer.kind !== 'decided') return answer;
  const { action, ticketCode, direction } = attempt;
  const { valid, status, ticketId } = answer.result;
  const id = printedId(ticketCode) ?? codedId(ticketCode);
  const isOther = ticketId !== undefined && id !== undefined && ticketId !== id;
  if (isOther) return { kind: 'unknown', why: 'other_ticket' };
  const takesUse = action === 'consume' && direction !== 'out';
  const isOfOperation = status === (takesUse ? 'consumed' : 'validated');
  const isUnfit = valid && (!isOfOperation || ticketId === undefined);
  return isUnfit ? NO_RESULT : answer;
}

/** Asks once about a ticket. Never throws. */
export async function askAbout(attempt: ScanAttempt): Promise<ScanAnswer> {
  const { key, ticketCode } = attempt;
  const given = await (key === null ? scanAsAccount(attempt) : scanWithKey(attempt, key));
  const answer = ofThisTicket(given, attempt);
  return CODE_FORM.test(ticketCode) ? answer : withoutCode(answer, ticketCode);
}

const CODE_FORM = /^TS[12]\./iu;

/** A part of an identifier, or the QR code of something else, is no forged ticket. Of a whole identifier the answer says that it is unknown. */
function withoutCode(answer: ScanAnswer, text: string): ScanAnswer {
  if (answer.kind !== 'decided' || answer.result.reason !== 'invalid_ticket') return answer;
  // A code that the reader changed is one.
  if (answer.result.hint) return answer;
  return {
    kind: 'decided',
    result: { ...answer.result, reason: 'missing_ticket_code', searchFor: text },
  };
}
