import { monthOf } from '../../core/clock.ts';
import type { StoredHome } from '../../core/event-home.ts';
import { type OrganisationLimits, TICKET_CODE_CHARACTERS_MAX } from '../../core/limits.ts';
import { findingInWords, readerFinding } from '../../core/reader-changes.ts';
import type { ApiKeyRecord, EventRecord } from '../../core/records.ts';
import { answerRequest, type ScanState } from '../../core/scan-batch.ts';
import type { AskedRequest, ScanOutcome } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import {
  type CodeFormat,
  type Keyring,
  type SigningKey,
  splitTicketCode,
  verifyTicketCode,
} from '../../core/ticket-code.ts';

/** All facts on which the decision about one request depends, as they were just before. */
export interface ScanFacts {
  /** Undefined when it is unknown or deleted. */
  readonly key: ApiKeyRecord | undefined;
  /** The limits of the key's organisation. */
  readonly limits: OrganisationLimits;
  /** Accepted requests of the key in the month of the request, this one not included. */
  readonly requestsInMonth: number;
  readonly signature: SignatureFacts;
  /** Undefined when the store has no such event, or the request names none. */
  readonly event: EventRecord | undefined;
  /** Its home, if it has left its centre. */
  readonly home?: StoredHome | undefined;
  /** Whether the store is that of a site. */
  readonly isSite?: boolean;
  readonly ticket: Ticket | undefined;
}

/**
 * What `answerRequest` says on these facts. Nothing is registered anywhere, and no earlier answer is known: for a request
 * whose retry may be met, the outcome is not predicted here.
 */
export function outcomeOn(facts: ScanFacts, request: AskedRequest): ScanOutcome {
  return answerRequest(request, stateOf(facts, monthOf(request.now)));
}

const NOT_WRITTEN = () => {};

/** Reads facts, forgets writes. */
function stateOf({ key, limits, event, ticket, ...facts }: ScanFacts, month: number): ScanState {
  return {
    key: () =>
      key && {
        ...key,
        events: key.events === 'all' ? 'all' : new Set(key.events),
        quotaPerMonth: limits.quotaPerMonth,
        rate: limits,
      },
    organisationOf: () => event?.organisationId,
    homeOf: () => facts.home,
    isSite: () => facts.isSite === true,
    rowsOf: () => 0,
    saveRowsOf: NOT_WRITTEN,
    ticket: () => ticket,
    requestsInMonth: (_, asked) => (asked === month ? facts.requestsInMonth : 0),
    storedAnswer: () => undefined,
    countRequest: NOT_WRITTEN,
    saveUse: NOT_WRITTEN,
    countPassage: NOT_WRITTEN,
    storeAnswer: NOT_WRITTEN,
    appendLog: NOT_WRITTEN,
    countScan: NOT_WRITTEN,
    saveContact: NOT_WRITTEN,
  };
}

/** The facts that the code alone shows. They name the signing key, and never contain the signature. */
export type SignatureFacts =
  | { readonly kind: 'no_code' }
  | {
      readonly kind: 'genuine';
      readonly format: CodeFormat;
      readonly ticketId: string;
      readonly eventId: string;
      readonly signingKeyId: string;
      readonly signingKeyState: SigningKey['state'];
    }
  | { readonly kind: 'forged'; readonly why: string };

/** Says which signing key made a code, or what is wrong with it. `code` is undefined when a request held none. */
export function signatureFacts(code: string | undefined, keyring: Keyring): SignatureFacts {
  if (code === undefined) return { kind: 'no_code' };
  const verified = verifyTicketCode(code, keyring);
  if (!verified) return { kind: 'forged', why: whyForged(code, keyring) };
  const key = keyring.find(({ id }) => id === verified.signingKeyId);
  return { kind: 'genuine', ...verified, signingKeyState: key?.state ?? 'active' };
}

function whyForged(code: string, keyring: Keyring): string {
  const finding = readerFinding(code, keyring);
  const why = whyNotSigned(code, keyring);
  return finding ? `${why} ${findingInWords(finding)}` : why;
}

function whyNotSigned(code: string, keyring: Keyring): string {
  if (code.length > TICKET_CODE_CHARACTERS_MAX) {
    return `It has ${code.length} characters; a ticket code has at most ${TICKET_CODE_CHARACTERS_MAX}.`;
  }
  const parts = splitTicketCode(code);
  if (!parts) {
    return 'It does not have the form of a ticket code: <TS1 or TS2>.<ticket id>.<signature>.';
  }
  // `verifyTicketCode` has just refused the code with the other keys.
  const unretired = keyring.map((key): SigningKey => ({ ...key, state: 'verify-only' }));
  const once = verifyTicketCode(code, unretired);
  if (once) return `It was signed by ${once.signingKeyId}, which is retired.`;
  const ofFormat = keyring.filter(({ format }) => format === parts.format);
  if (ofFormat.length === 0) return `The keyring has no ${parts.format} key to verify it with.`;
  const ids = ofFormat.map(({ id }) => id).join(', ');
  return `None of the ${parts.format} keys (${ids}) made its signature: another keyring signed it, or it was changed.`;
}
