import { TicketscanError } from '../../../core/errors.ts';
import { splitTicketCode } from '../../../core/ticket-code.ts';
import { ticketIdIn } from '../../../core/ticket-id.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { readSecretValue } from '../../../terminal/option-values.ts';

/** The id of a ticket named by its id or its code; the owner of the store needs no genuine code. */
export function ticketIdFrom(text: string, io: CliIo): string {
  const value = readSecretValue(text, io);
  return knownForm(value) ?? value;
}

/**
 * As `ticketIdFrom`, for an option that finds nothing when the ticket does not exist: a mistyped value would look like an answer.
 * @throws TicketscanError `usage` for what can be neither an id nor a code
 */
export function givenTicketId(text: string, option: string, io: CliIo): string {
  const id = knownForm(readSecretValue(text, io));
  if (id !== undefined) return id;
  throw new TicketscanError(
    'usage',
    `${option} must be a ticket: its id, such as tkt_ab12cd_0123456789abcdefghij, or its code.`,
  );
}

function knownForm(value: string): string | undefined {
  return splitTicketCode(value)?.ticketId ?? ticketIdIn(value);
}
