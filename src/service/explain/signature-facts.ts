import type { CodeFormat, Keyring, SigningKey } from '../../core/keyring.ts';
import { TICKET_CODE_CHARACTERS_MAX } from '../../core/limits.ts';
import { splitTicketCode, verifyTicketCode } from '../../core/ticket-code.ts';

/** What the code alone shows; the signing key is named, the signature is never shown. */
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
  if (code.length > TICKET_CODE_CHARACTERS_MAX) {
    return `It has ${code.length} characters; a ticket code has at most ${TICKET_CODE_CHARACTERS_MAX}.`;
  }
  const parts = splitTicketCode(code);
  if (!parts) {
    return 'It does not have the form of a ticket code: <TS1 or TS2>.<ticket id>.<signature>.';
  }
  // No other key verified it a moment ago.
  const unretired = keyring.map((key): SigningKey => ({ ...key, state: 'verify-only' }));
  const once = verifyTicketCode(code, unretired);
  if (once) return `It was signed by ${once.signingKeyId}, which is retired.`;
  const ofFormat = keyring.filter(({ format }) => format === parts.format);
  if (ofFormat.length === 0) return `The keyring has no ${parts.format} key to verify it with.`;
  const ids = ofFormat.map(({ id }) => id).join(', ');
  return `None of the ${parts.format} keys (${ids}) made its signature: another keyring signed it, or it was changed.`;
}
