import { randomBytes } from 'node:crypto';
import { readKeyring, readPublicKeys } from './config/keyring-file.ts';
import { systemClock } from './config/system-clock.ts';
import { TicketscanError } from './core/errors.ts';
import type { GivenWindow, HandedOutJson, TicketKind } from './core/ticket.ts';
import { handedOutToJson, windowFrom } from './core/ticket.ts';
import { newTicket } from './core/ticket-changes.ts';
import type { CodeFormat, Keyring, VerifiedCode } from './core/ticket-code.ts';
import { makeTicketCode, verifyTicketCode } from './core/ticket-code.ts';
import { isEventId, makeBatchId } from './core/ticket-id.ts';
import { COMMAND_LINE } from './features/actor.ts';
import { TicketAdministration } from './features/tickets/rules.ts';
import { openStore } from './stores/open-store.ts';

export { type ErrorCode, TicketscanError } from './core/errors.ts';
export type { Holder, TicketKind, TicketType } from './core/ticket.ts';
export type { CodeFormat, Keyring, SigningKey, VerifiedCode } from './core/ticket-code.ts';
export { type QrFormat, type QrOptions, renderQr } from './tickets/codes/render-qr.ts';

/** What tickets to make. A bound of its window is the first or the last moment at which it is valid; none by default. */
export interface MintRequest extends GivenWindow<Date> {
  /** Id of the event, for example `ab12cd`. */
  readonly event: string;
  /** `single` by default. */
  readonly type?: TicketKind;
  /** Needed for a multi-use card, 2 to 100. */
  readonly uses?: number;
  /** How many, 1 by default. */
  readonly count?: number;
  readonly firstName?: string;
  readonly lastName?: string;
  /** `TS1` by default; `TS2` codes can be verified offline with a public key, and are longer. */
  readonly format?: CodeFormat;
  /** Signs the codes; see {@link openKeyring}. */
  readonly keyring: Keyring;
  /** URL of the store that the tickets go into, for example `sqlite:./ticketscan.db`. */
  readonly store: string;
}

/** A ticket as it is handed out, with its code; times are ISO 8601 in UTC. */
export type MintedTicket = Readonly<HandedOutJson>;

/**
 * Makes signed tickets and puts them into the store, all or none.
 * @throws TicketscanError `usage` for a request that does not fit, `not_found` for an unknown event, `keyring` when no
 *   active key can sign, `store_…` when the store cannot be used
 */
export async function mintTickets(request: MintRequest): Promise<MintedTicket[]> {
  const { count = 1, format = 'TS1', keyring } = request;
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new TicketscanError('usage', `count must be a whole number above 0, not ${count}.`);
  }
  if (!isEventId(request.event)) {
    throw new TicketscanError('usage', `"${request.event}" is not an event id.`);
  }
  const options = {
    eventId: request.event,
    kind: request.type ?? 'single',
    uses: request.uses,
    firstName: request.firstName,
    lastName: request.lastName,
    ...windowFrom(request, timeOf),
  };
  const now = systemClock.now();
  const batch = makeBatchId(randomBytes);
  const tickets = Array.from({ length: count }, () => ({
    ...newTicket(options, now, randomBytes),
    batch,
  }));
  // Signed before anything is stored: a keyring that cannot sign must not leave tickets without codes.
  const minted = tickets.map((ticket) =>
    handedOutToJson({ ...ticket, code: makeTicketCode(ticket.id, keyring, format) }),
  );
  const store = await openStore(request.store);
  if (store.notice !== undefined) process.emitWarning(store.notice);
  try {
    const event = (await store.list('event')).find(({ id }) => id === request.event);
    const administration = new TicketAdministration(store, systemClock, randomBytes, COMMAND_LINE);
    const owned = event ?? { id: request.event, organisationId: null };
    await administration.add(owned, tickets, { kind: options.kind, batch });
  } finally {
    await store.close();
  }
  return minted;
}

/**
 * Checks a ticket code's signature and returns what it says, or undefined when it is not genuine.
 * Says nothing of the ticket's state: whether it is used up or cancelled only its store knows.
 */
export function verifyCode(code: string, keyring: Keyring): VerifiedCode | undefined {
  return verifyTicketCode(code, keyring);
}

/** Reads the signing keys from their file. @throws TicketscanError `keyring` */
export function openKeyring(path: string): Keyring {
  return readKeyring(path);
}

/**
 * Reads what `ticketscan signing-keys export-public` wrote, or PEM: verifies TS2 codes, signs nothing.
 * @throws TicketscanError `keyring`
 */
export function openPublicKeys(path: string): Keyring {
  return readPublicKeys(path);
}

function timeOf(date: Date, name: string): number {
  const time = date.getTime();
  if (!Number.isNaN(time)) return time;
  throw new TicketscanError('usage', `${name} is an invalid date.`);
}
