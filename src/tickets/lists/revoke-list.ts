import { TicketscanError } from '../../core/errors.ts';
import { isSignedBy, type Keyring, signatureOf } from '../../core/ticket-code.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';

const FIRST_LINE = 'ticketscan-revoke-list 1';
const SIGNATURE = /(?:^|\n)signature ([A-Za-z0-9_-]{86})\n$/u;

/** Tickets that a gate without a connection has to refuse although their codes are genuine. */
export interface RevokeList {
  /** Milliseconds since 1970 UTC. */
  readonly issuedAt: number;
  readonly signingKeyId: string;
  readonly ticketIds: ReadonlySet<string>;
}

/**
 * Writes a list of revoked tickets and signs it with the active TS2 key: a text of lines, the last of which is an
 * Ed25519 signature over all before it. A first line that no ticket code begins with keeps the two from being mixed up.
 * @param issuedAt milliseconds since 1970 UTC
 * @throws TicketscanError `keyring` when there is no active TS2 key
 */
export function makeRevokeList(
  ticketIds: Iterable<string>,
  issuedAt: number,
  keyring: Keyring,
): string {
  const key = keyring.find((one) => one.format === 'TS2' && one.state === 'active');
  if (!key?.signingKey) {
    throw new TicketscanError(
      'keyring',
      'The keyring has no active TS2 key to sign the list with.',
    );
  }
  const ids = [...ticketIds].sort();
  const issued = new Date(issuedAt).toISOString();
  const body = [FIRST_LINE, `issued ${issued}`, `key ${key.id}`, ...ids].join('\n');
  return `${body}\nsignature ${signatureOf(`${body}\n`, key)}\n`;
}

/**
 * Reads a list of revoked tickets.
 * @param keyring with the public key of its issuer
 * @throws TicketscanError `keyring` when it was not signed by a key of the keyring, or was changed since
 */
export function readRevokeList(text: string, keyring: Keyring): RevokeList {
  const signature = SIGNATURE.exec(text)?.[1];
  const body = text.slice(0, text.lastIndexOf('signature '));
  const [first, issued, keyLine, ...ids] = body.split('\n').slice(0, -1);
  const keys = keyring.filter(({ format, state }) => format === 'TS2' && state !== 'retired');
  if (signature === undefined || !keys.some((key) => isSignedBy(body, signature, key))) {
    throw new TicketscanError(
      'keyring',
      'The revoke list is not signed by a known key, or was changed since. Create it again: ticketscan tickets revoke-list',
    );
  }
  const issuedAt = Date.parse(issued?.replace(/^issued /u, '') ?? '');
  const isReadable =
    first === FIRST_LINE &&
    !Number.isNaN(issuedAt) &&
    ids.every((id) => eventOfTicketId(id) !== undefined);
  if (!isReadable) {
    throw new TicketscanError(
      'usage',
      'The revoke list has a format that this version cannot read. Create it again: ticketscan tickets revoke-list',
    );
  }
  const signingKeyId = keyLine?.replace(/^key /u, '') ?? '';
  return { issuedAt, signingKeyId, ticketIds: new Set(ids) };
}
