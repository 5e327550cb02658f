import { ticketToJson } from '../../../core/codecs/ticket.ts';
import type { Keyring } from '../../../core/keyring.ts';
import type { Ticket } from '../../../core/ticket.ts';
import { splitTicketCode, verifyTicketCode } from '../../../core/ticket-code.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { Decoder } from '../../reading/find-codes.ts';

/** The result for one code in a picture, or for a picture without one. */
export interface Decoded {
  readonly file: string;
  /** From 1; null in a file without pages. */
  readonly page: number | null;
  readonly code: string | null;
  readonly ticketId: string | null;
  readonly verified: boolean;
  /** `TS1` or `TS2`; null when the text is no ticket code. */
  readonly format: string | null;
  readonly signingKey: string | null;
  /** The decoders that read it: a code that only one of the two reads fails on some phones and gates. */
  readonly decoders: readonly Decoder[];
  /** On the revoke list; null when none was given. */
  readonly revoked: boolean | null;
  /** Its state; null when it is not in the store, or there is none to look in. */
  readonly ticket: Record<string, unknown> | null;
  readonly storeAsked: boolean;
  /** Why there is no result; null otherwise. */
  readonly problem: string | null;
}

export interface Evidence {
  readonly keyring: Keyring;
  /** Whether the keyring has public keys alone, which cannot verify TS1 codes. */
  readonly isPublicOnly: boolean;
  readonly revoked: ReadonlySet<string> | undefined;
  /** Absent where there is no store to look in. */
  readonly findTicket: ((ticketId: string) => Promise<Ticket | undefined>) | undefined;
  /** Of the states of tickets: milliseconds since 1970 UTC. */
  readonly now: number;
}

const NOTHING: Decoded = {
  file: '',
  page: null,
  code: null,
  ticketId: null,
  verified: false,
  format: null,
  signingKey: null,
  decoders: [],
  revoked: null,
  ticket: null,
  storeAsked: false,
  problem: null,
};

export function nothingIn(file: string, problem = 'no QR code found'): Decoded {
  return { ...NOTHING, file, problem };
}

/** Judges a code that was read. */
export async function judgeCode(
  found: { file: string; page: number | null; code: string; decoders: readonly Decoder[] },
  { keyring, isPublicOnly, revoked, findTicket, now }: Evidence,
): Promise<Decoded> {
  const verified = verifyTicketCode(found.code, keyring);
  const parts = splitTicketCode(found.code);
  const ticket = verified && (await findTicket?.(verified.ticketId));
  const cannotTell = isPublicOnly && parts?.format === 'TS1';
  return {
    ...NOTHING,
    ...found,
    ticketId: parts?.ticketId ?? null,
    verified: verified !== undefined,
    format: parts?.format ?? null,
    signingKey: verified?.signingKeyId ?? null,
    revoked: verified && revoked ? revoked.has(verified.ticketId) : null,
    ticket: ticket ? ticketToJson(ticket, now) : null,
    storeAsked: verified !== undefined && findTicket !== undefined,
    problem: cannotTell ? 'a TS1 code is verified with the keyring, not with a public key' : null,
  };
}

/** True for a code that is genuine and not revoked. */
export function isGood({ verified, revoked }: Decoded): boolean {
  return verified && revoked !== true;
}

/** One line for people. */
export function describe(decoded: Decoded): string {
  const { file, page, code, verified, format, signingKey, decoders, problem } = decoded;
  const place = sanitizeForTerminal(page === null ? file : `${file} page ${page}`);
  if (code === null) return `${place}: ${problem}`;
  const readers =
    decoders.length > 1
      ? ''
      : '  (only one of two readers reads it: print it larger, or scan it sharper)';
  if (!verified)
    return `${place}: ${problem ?? 'NOT GENUINE'}  ${sanitizeForTerminal(code)}${readers}`;
  return `${place}: genuine ${format} by ${signingKey}${stateInWords(decoded)}  ${code}${readers}`;
}

function stateInWords({ ticket, revoked, storeAsked }: Decoded): string {
  const listed = revoked === null ? '' : revoked ? ', REVOKED' : ', not revoked';
  if (!ticket) return `${listed}${storeAsked ? ', NOT IN THE STORE' : ''}`;
  return `${listed}, ${ticket['state']}, ${ticket['usesConsumed']}/${ticket['usesAllowed']} uses`;
}
