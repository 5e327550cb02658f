import { splitTicketCode } from '../../../core/ticket-code.ts';
import { ticketIdIn } from '../../../core/ticket-id.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { readSecretValue } from '../../../terminal/secret-value.ts';

/** The id of a ticket named by its id or its code; the owner of the store needs no genuine code. */
export function ticketIdFrom(text: string, io: CliIo): string {
  const value = readSecretValue(text, io);
  return splitTicketCode(value)?.ticketId ?? ticketIdIn(value) ?? value;
}
