import type { Command } from '@commander-js/extra-typings';
import * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import { TicketJson, type TicketView, ticketFromView } from '../../../core/records.ts';
import { boundsFrom, type GivenWindow, type Holder, holderFrom } from '../../../core/ticket.ts';
import { editedTicket } from '../../../core/ticket-changes.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { defined } from '../../../kit/defined.ts';
import { counted, shortened } from '../../../kit/text.ts';
import { type CommonOptions, withOptions } from '../../../terminal/command.ts';
import { forOption } from '../../../terminal/options.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { namesOf } from '../../../terminal/results.ts';
import {
  addFieldOptions,
  fieldsGiven,
  TERMS_OPTIONS,
  termsOption,
} from '../../../terminal/ticket-field-options.ts';
import { boundIn } from '../../../tickets/lists/ticket-list.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import { ZONE_HELP, zoneOf } from '../../time-zone.ts';
import { editTicket } from '../operations.ts';
import { filteredTickets, requireTickets, TICKET, ticketIdFrom } from './find-tickets.ts';
import { chosenByReference } from './many.ts';
import { showTickets } from './show-tickets.ts';

const EDIT_HELP = `
Examples:
  ticketscan tickets edit tkt_ab12cd_0123456789abcdefghij --valid-until 2027-12-31
  ticketscan tickets edit tkt_ab12cd_0123456789abcdefghij --first-name "" --last-name "" --valid-from none
  ticketscan tickets edit --with-reference ORDER-4711 --valid-until 2027-12-31 --yes

--reference writes a reference, and --with-reference chooses tickets by it: then each change is checked on all of them before the first
is made. Options that you do not give change nothing. Printed tickets do not change, but scans use the data in the store.`;

/** `ticketscan tickets edit`: what was sold wrongly, or is to hold longer. */
export const editCommand = dataCommand({
  name: 'edit',
  summary: 'Change the holder, the validity or the uses of a ticket, or what is written on it.',
  argument: ['[ticket]', TICKET[1]],
  options: (command) =>
    withOptions(command, addFieldEdits)
      .option('--with-reference <text>', 'all tickets with exactly this reference')
      .option('--event <event>', 'with --with-reference: only those of this event (id or name)')
      .option(TERMS_OPTIONS.firstName[0], `${TERMS_OPTIONS.firstName[1]}; "" removes it`)
      .option(TERMS_OPTIONS.lastName[0], `${TERMS_OPTIONS.lastName[1]}; "" removes it`)
      .option(TERMS_OPTIONS.validFrom[0], `${TERMS_OPTIONS.validFrom[1]}; none removes it`)
      .option(TERMS_OPTIONS.validUntil[0], `${TERMS_OPTIONS.validUntil[1]}; none removes it`)
      .option(TERMS_OPTIONS.uses[0], `${TERMS_OPTIONS.uses[1]}, not below those consumed`)
      .option('--time-zone <name>', ZONE_HELP),
  yes: 'do not ask about the tickets of --with-reference',
  json: 'a JSON object; with --with-reference a JSON array',
  help: EDIT_HELP,
  mustChange: true,
  check: ({ withReference, event }, given) => {
    if (given === undefined && withReference === undefined)
      throw new TicketscanError('usage', 'Name a ticket, or all of an order: --with-reference.');
    if (given !== undefined && withReference !== undefined) {
      const shown = `--with-reference "${shortened(withReference)}"`;
      throw new TicketscanError('usage', `${shown} and a ticket: name one of the two.`);
    }
    if (event === undefined || withReference !== undefined) return;
    const message = `--event "${shortened(event)}" is used with --with-reference only: add that, or leave it out.`;
    throw new TicketscanError('usage', message);
  },
  run: async (access, options, given) => {
    if (options.withReference !== undefined)
      return editMany(access, options, options.withReference);
    const { io } = access;
    const id = ticketIdFrom(given ?? '', io);
    const zone = await zoneOf(access, { asked: options.timeZone, event: eventOfTicketId(id) });
    const [ticket] = await requireTickets(access, [id]);
    const edited = await access.call(editTicket, {
      id,
      ...editsFrom(options, ticket?.holder ?? null, zone),
    });
    if (options.json) return io.out(JSON.stringify(z.encode(TicketJson, edited), null, 2));
    showTickets(io, [edited], { events: namesOf(await access.list('event')), zone });
  },
});

type EditOptions = CommonOptions &
  GivenWindow<string> &
  Parameters<typeof fieldsGiven>[0] & {
    readonly event?: string;
    readonly firstName?: string;
    readonly lastName?: string;
    readonly uses?: string;
    readonly timeZone?: string;
  };

/** What the options change of a ticket with this holder. @throws TicketscanError `usage` */
function editsFrom(options: EditOptions, holder: Holder | null, zone: string) {
  const { firstName, lastName, uses } = options;
  return {
    holder:
      (firstName ?? lastName) === undefined
        ? undefined
        : holderFrom(firstName ?? holder?.firstName, lastName ?? holder?.lastName),
    ...windowFrom(options, zone),
    uses: uses === undefined ? undefined : usesFrom(uses),
    ...fieldsGiven(options),
  };
}

/** Asks, then changes all tickets with the reference. None is changed where one of them cannot be. */
async function editMany(
  access: DataAccess,
  options: EditOptions,
  reference: string,
): Promise<void> {
  const { io, call } = access;
  const { chosen, name } = await chosenByReference(access, reference, options.event);
  const tickets: TicketView[] = [];
  for await (const ticket of filteredTickets(access, chosen)) tickets.push(ticket);
  const zone = await zoneOf(access, { asked: options.timeZone, event: tickets[0]?.event ?? '' });
  const edits = tickets.map((ticket) => ({
    id: ticket.ticketId,
    ...editsFrom(options, ticket.holder, zone),
  }));
  for (const [index, ticket] of tickets.entries()) refuseEdit(ticket, edits[index] ?? {});
  const consequence = `Every ticket of ${name} (${counted(tickets.length, 'ticket')}) is changed.`;
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  const edited: TicketView[] = [];
  for (const one of edits) {
    try {
      edited.push(await call(editTicket, one));
    } catch (error) {
      const done = edited.map(({ ticketId }) => ticketId).join(', ');
      if (done !== '') io.err(`Changed before it: ${done}. The others stay.`);
      throw error;
    }
  }
  if (options.json) return io.out(JSON.stringify(z.encode(z.array(TicketJson), edited), null, 2));
  showTickets(io, edited, { events: namesOf(await access.list('event')), zone });
}

/** @throws TicketscanError for a change that this ticket cannot take, as the store would */
function refuseEdit(view: TicketView, edits: Partial<ReturnType<typeof editsFrom>>): void {
  const { uses, validFrom, validUntil } = edits;
  editedTicket(ticketFromView(view), {
    ...defined({ validFrom, validUntil }),
    ...(uses !== undefined && { usesAllowed: uses }),
  });
}

function addFieldEdits(command: Command) {
  return addFieldOptions(command, ({ kind }) => (kind === 'text' ? '; "" removes it' : ''));
}

/** The bounds that are given; `none` removes one. @throws TicketscanError `usage` */
function windowFrom(options: GivenWindow<string>, zone: string) {
  const bound = boundIn(zone);
  return boundsFrom(options, (text, name) =>
    text === 'none' ? null : forOption(termsOption(name), () => bound(text, name)),
  );
}

function usesFrom(text: string): number {
  if (/^\d{1,4}$/.test(text)) return Number(text);
  throw new TicketscanError('usage', `--uses must be a whole number, not "${text}".`);
}
