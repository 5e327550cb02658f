import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { TicketJson, type TicketView } from '../../core/records.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { Progress } from '../../terminal/progress.ts';
import { confirm } from '../../terminal/prompts.ts';
import { showResult } from '../../terminal/results.ts';
import type { DataAccess } from '../data-access.ts';
import { type CommonOptions, dataCommand } from '../data-command.ts';
import { NAMED_TICKETS_MAX, type StepDone } from './administration.ts';
import { requireTickets, TICKET, TICKETS_HELP, ticketIdFrom } from './find-tickets.ts';
import {
  cancelTickets,
  deleteManyTickets,
  deleteTicket,
  refuseBoth,
  reinstateTickets,
  replaceTicket,
  ShownTicket,
} from './operations.ts';

interface ManyOptions extends CommonOptions {
  readonly event?: string;
  readonly batch?: string;
}

/** What a command does to some tickets, or to all of an event or a batch. */
interface ManyCommand {
  readonly name: string;
  readonly summary: string;
  readonly json: string;
  readonly help: string;
  /** Such as `is refused from now on`. */
  readonly consequence: string;
  readonly doing: string;
  readonly step: typeof cancelTickets | typeof deleteManyTickets;
  readonly tellMany: (done: Omit<StepDone, 'next'>, options: ManyOptions) => void;
  readonly named: (
    access: DataAccess,
    ids: readonly string[],
    options: ManyOptions,
  ) => Promise<void>;
}

const CANCEL_HELP = `
Examples:
  ticketscan tickets cancel tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets cancel --event "Summer pool" --yes`;

/** `ticketscan tickets cancel`: some tickets, or all of an event or a batch. */
export function cancelCommand(io: CliIo) {
  return manyCommand(io, {
    name: 'cancel',
    summary: 'Cancel tickets: from now on their scans are rejected.',
    json: 'a JSON array; of many tickets, an object with their number',
    help: CANCEL_HELP,
    consequence: 'is refused from now on',
    doing: 'cancelling',
    step: cancelTickets,
    tellMany: ({ changed: cancelled, kept }, { json }) => {
      if (json) io.out(JSON.stringify({ cancelled, kept }));
      else io.out(`Cancelled tickets: ${cancelled}. Cancelled before: ${kept}.`);
    },
    named: (access, ids, options) => changeNamed(io, access, cancelTickets, ids, options),
  });
}

/** `ticketscan tickets reinstate` */
export function reinstateCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'reinstate',
    summary: 'Reinstate cancelled tickets, with the uses that they had.',
    argument: ['<ticket...>', TICKETS_HELP],
    json: 'a JSON array',
    run: (access, options, given) => {
      const ids = given.map((ticket) => ticketIdFrom(ticket, io));
      return changeNamed(io, access, reinstateTickets, ids, options);
    },
  });
}

const REPLACE_HELP = `
Example:
  ticketscan tickets replace tkt_ab12cd_0123456789abcdefghij

The new ticket has the kind, the holder, the validity and the uses of the lost one, also those that were consumed. The
page of the ticket has its sheet to print. The lost ticket cannot be reinstated.`;

/** `ticketscan tickets replace`: a card that was lost. */
export function replaceCommand(io: CliIo) {
  return dataCommand(io, {
    name: 'replace',
    summary: 'Cancel a lost ticket and issue another in its place.',
    argument: TICKET,
    json: 'a JSON object',
    help: REPLACE_HELP,
    run: async (access, options, given) => {
      const id = ticketIdFrom(given, io);
      await requireTickets(access, [id]);
      const made = await access.call(replaceTicket, { id });
      const { ticketId, usesRemaining, usesAllowed, code } = made;
      const lines = [
        `Ticket ${id} is cancelled. Its replacement is ${ticketId}, with ${usesRemaining} of ${usesAllowed} uses left.`,
        `Code: ${code}`,
      ];
      showResult(io, options, { ...z.encode(ShownTicket, made), scans: [] }, lines);
    },
  });
}

const DELETE_HELP = `
Examples:
  ticketscan tickets delete tkt_ab12cd_0123456789abcdefghij --yes
  ticketscan tickets delete --batch bat_0123456789 --yes

A ticket that was used, or that the scan log names, is kept: cancel it instead.`;

/** `ticketscan tickets delete`: tickets that were never used, for good. */
export function deleteCommand(io: CliIo) {
  const tell = ({ changed: deleted, kept }: Omit<StepDone, 'next'>, { json }: CommonOptions) => {
    if (json) io.out(JSON.stringify({ deleted, kept }));
    else io.out(`Deleted tickets: ${deleted}. Kept, because they were used or scanned: ${kept}.`);
  };
  return manyCommand(io, {
    name: 'delete',
    summary: 'Delete tickets that were never used or scanned.',
    json: 'a JSON object',
    help: DELETE_HELP,
    consequence: 'that was never used or scanned is deleted; nothing brings it back',
    doing: 'deleting',
    step: deleteManyTickets,
    tellMany: tell,
    named: async (access, ids, options) => {
      await requireTickets(access, ids);
      const consequence = `Deleted permanently: ${ids.join(', ')}.`;
      if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
      await deleteNamed(io, access, ids);
      tell({ changed: ids.length, kept: 0 }, options);
    },
  });
}

function manyCommand(
  io: CliIo,
  { name, summary, json, help, named, tellMany, ...many }: ManyCommand,
) {
  return dataCommand(io, {
    ...{ name, summary, json, help },
    argument: ['[ticket...]', TICKETS_HELP],
    options: (command) =>
      command
        .option('--event <event>', 'all tickets of this event (id or name)')
        .option('--batch <batch>', 'all tickets of this run of mint, import or create'),
    yes: 'do not ask',
    check: (options, given) => void meansMany(given, options),
    run: async (access, options, given) => {
      if (!meansMany(given, options)) {
        const ids = given.map((ticket) => ticketIdFrom(ticket, io));
        return named(access, ids, options);
      }
      const done = await changeMany(io, access, options, many);
      if (done) tellMany(done, options);
    },
  });
}

/** True when all tickets of an event or a batch are meant. @throws TicketscanError `usage` unless one of the three is named */
function meansMany(given: readonly string[], { event, batch }: ManyOptions): boolean {
  const isMany = event !== undefined || batch !== undefined;
  if (isMany === given.length > 0) {
    throw new TicketscanError('usage', 'Name tickets, or all of them with --event or --batch.');
  }
  if (isMany) refuseBoth(event, batch);
  return isMany;
}

async function changeNamed(
  io: CliIo,
  access: DataAccess,
  operation: typeof cancelTickets | typeof reinstateTickets,
  ids: readonly string[],
  options: CommonOptions,
): Promise<void> {
  await requireTickets(access, ids);
  const changed: TicketView[] = [];
  for (let start = 0; start < ids.length; start += NAMED_TICKETS_MAX) {
    const some = ids.slice(start, start + NAMED_TICKETS_MAX);
    changed.push(...(await access.call(operation, { ids: some })).items);
  }
  const state = operation === cancelTickets ? 'cancelled' : 'reinstated';
  const lines = changed.map(({ ticketId }) => `Ticket ${ticketId} is ${state}.`);
  showResult(io, options, z.encode(z.array(TicketJson), changed), lines);
}

/** @throws TicketscanError `conflict` for the first ticket that cannot be deleted */
async function deleteNamed(io: CliIo, { call }: DataAccess, ids: readonly string[]): Promise<void> {
  for (const [index, id] of ids.entries()) {
    try {
      await call(deleteTicket, { id });
    } catch (error) {
      if (index > 0)
        io.err(`Deleted before it: ${ids.slice(0, index).join(', ')}. The others stay.`);
      throw error;
    }
  }
}

/**
 * Asks, then changes all tickets of the event or the batch, step by step.
 * @returns undefined when the answer was no
 * @throws TicketscanError `not_found` when there are no such tickets
 */
async function changeMany(
  io: CliIo,
  access: DataAccess,
  options: ManyOptions,
  { consequence, doing, step }: Pick<ManyCommand, 'consequence' | 'doing' | 'step'>,
): Promise<Omit<StepDone, 'next'> | undefined> {
  const { chosen, name, total } = await chosenBy(access, options);
  const which = total === undefined ? name : `${name} (${counted(total, 'ticket')})`;
  const question = `Every ticket of ${which} ${consequence}.`;
  if (!(await confirm(io, { ...options, consequence: question, needsYes: true }))) return undefined;
  const progress = new Progress(io, access.clock.monotonicMs);
  progress.begin(doing, total ?? 0);
  const sum = { changed: 0, kept: 0 };
  try {
    let after: string | null = null;
    do {
      const done: StepDone = await access.call(step, { ...chosen, after });
      sum.changed += done.changed;
      sum.kept += done.kept;
      after = done.next;
      progress.update(sum.changed + sum.kept);
    } while (after !== null);
  } finally {
    progress.clear();
  }
  if (sum.changed + sum.kept === 0) {
    throw new TicketscanError('not_found', `There is no ticket of ${name}.`);
  }
  return sum;
}

async function chosenBy(
  { findEvent }: DataAccess,
  { event, batch = '' }: ManyOptions,
): Promise<{
  chosen: { readonly event: string } | { readonly batch: string };
  name: string;
  total?: number;
}> {
  if (event === undefined)
    return { chosen: { batch }, name: `batch ${sanitizeForTerminal(batch)}` };
  const { id, name, tickets } = await findEvent(event);
  return {
    chosen: { event: id },
    name: `event "${sanitizeForTerminal(name)}"`,
    total: tickets.total,
  };
}
