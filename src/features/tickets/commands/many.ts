import * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import { bothInForce } from '../../../core/in-force.ts';
import { TicketJson, type TicketView } from '../../../core/records.ts';
import { defined } from '../../../kit/defined.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import type { CommonOptions } from '../../../terminal/command.ts';
import { Progress } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { showResult } from '../../../terminal/results.ts';
import type { DataAccess } from '../../data-access.ts';
import { dataCommand } from '../../data-command.ts';
import type { InForce } from '../../sites/in-force.ts';
import { tellInForce } from '../../sites/tell-in-force.ts';
import {
  cancelTickets,
  deleteManyTickets,
  deleteTicket,
  reinstateTickets,
  replaceTicket,
  ShownTicket,
} from '../operations.ts';
import { NAMED_TICKETS_MAX, refuseSeveral, type StepDone } from '../rules.ts';
import {
  filteredTickets,
  NOTHING_CHANGED,
  requireReference,
  requireTickets,
  TICKET,
  TICKETS_HELP,
  ticketIdFrom,
} from './find-tickets.ts';

type ManyOptions = CommonOptions & {
  readonly event?: string;
  readonly batch?: string;
  readonly reference?: string;
};

interface Changed extends Omit<StepDone, 'next'> {
  readonly inForce?: InForce | undefined;
}

/** A command that works on some tickets, or on all of an event or a batch. */
interface ManyCommand {
  readonly name: string;
  readonly summary: string;
  readonly json: string;
  readonly help: string;
  /** Such as `is refused from now on`. */
  readonly consequence: string;
  readonly doing: string;
  readonly step: typeof cancelTickets | typeof reinstateTickets | typeof deleteManyTickets;
  /** The result for many: its JSON, and its line for people. */
  readonly tell: (done: Changed) => readonly [unknown, string];
  /** @returns undefined when nothing was done, or it has told what */
  readonly named: (
    access: DataAccess,
    ids: readonly string[],
    options: ManyOptions,
  ) => Promise<Changed | undefined>;
}

const CANCEL_HELP = `
Examples:
  ticketscan tickets cancel tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets cancel --reference ORDER-4711 --yes
  ticketscan tickets cancel --event "Summer pool" --yes`;

/** `ticketscan tickets cancel`: some tickets, or all of an event or a batch. */
export const cancelCommand = manyCommand({
  name: 'cancel',
  summary: 'Cancel tickets: from now on their scans are rejected.',
  json: 'a JSON array; for many tickets, an object with their number',
  help: CANCEL_HELP,
  consequence: 'is refused from now on',
  doing: 'cancelling',
  step: cancelTickets,
  tell: ({ changed: cancelled, kept }) => [
    { cancelled, kept },
    `Cancelled tickets: ${cancelled}. Cancelled before: ${kept}.`,
  ],
  named: (access, ids, options) => changeNamed(access, cancelTickets, ids, options),
});

const REINSTATE_HELP = `
Examples:
  ticketscan tickets reinstate tkt_ab12cd_0123456789abcdefghij
  ticketscan tickets reinstate --reference ORDER-4711 --yes

A ticket for which a replacement was issued stays cancelled.`;

/** `ticketscan tickets reinstate`: undoes a cancellation, of the same tickets. */
export const reinstateCommand = manyCommand({
  name: 'reinstate',
  summary: 'Reinstate cancelled tickets, with the uses that they had.',
  json: 'a JSON array; of many tickets, an object with their number',
  help: REINSTATE_HELP,
  consequence: 'that is cancelled is admitted again',
  doing: 'reinstating',
  step: reinstateTickets,
  tell: ({ changed: reinstated, kept }) => [
    { reinstated, kept },
    `Reinstated tickets: ${reinstated}. Left as they were: ${kept}.`,
  ],
  named: (access, ids, options) => changeNamed(access, reinstateTickets, ids, options),
});

const REPLACE_HELP = `
Example:
  ticketscan tickets replace tkt_ab12cd_0123456789abcdefghij

The new ticket has the kind, the holder, the validity and the uses of the lost one, also those that were consumed. The
page of the ticket has its sheet to print. The lost ticket cannot be reinstated.`;

/** `ticketscan tickets replace`: a card that was lost. */
export const replaceCommand = dataCommand({
  name: 'replace',
  summary: 'Cancel a lost ticket and issue another in its place.',
  argument: TICKET,
  json: 'a JSON object',
  help: REPLACE_HELP,
  run: async (access, options, given) => {
    const id = ticketIdFrom(given, access.io);
    await requireTickets(access, [id]);
    const made = await access.call(replaceTicket, { id });
    const { ticketId, usesRemaining, usesAllowed, code } = made;
    const lines = [
      `Ticket ${id} is cancelled. Its replacement is ${ticketId}, with ${usesRemaining} of ${usesAllowed} uses left.`,
      `Code: ${code}`,
    ];
    showResult(access.io, options, { ...z.encode(ShownTicket, made), scans: [] }, lines);
  },
});

const DELETE_HELP = `
Examples:
  ticketscan tickets delete tkt_ab12cd_0123456789abcdefghij --yes
  ticketscan tickets delete --batch bat_0123456789 --yes

A ticket that was used, or that the scan log names, is kept: cancel it instead.`;

/** `ticketscan tickets delete`: tickets that were never used, for good. */
export const deleteCommand = manyCommand({
  name: 'delete',
  summary: 'Delete tickets that were never used or scanned.',
  json: 'a JSON object',
  help: DELETE_HELP,
  consequence: 'that was never used or scanned is deleted; nothing brings it back',
  doing: 'deleting',
  step: deleteManyTickets,
  tell: ({ changed: deleted, kept }) => [
    { deleted, kept },
    `Deleted tickets: ${deleted}. Kept, because they were used or scanned: ${kept}.`,
  ],
  named: async (access, ids, options) => {
    await requireTickets(access, ids);
    const consequence = `Deleted permanently: ${ids.join(', ')}.`;
    if (!(await confirm(access.io, { ...options, consequence, needsYes: true }))) return undefined;
    await deleteNamed(access, ids);
    return { changed: ids.length, kept: 0 };
  },
});

function manyCommand({ named, tell, ...many }: ManyCommand) {
  return dataCommand({
    ...many,
    argument: ['[ticket...]', TICKETS_HELP],
    options: (command) =>
      command
        .option('--event <event>', 'all tickets of this event (id or name)')
        .option('--batch <batch>', 'all tickets of this run of mint, import or create')
        .option('--reference <text>', 'all tickets with exactly this reference'),
    yes: 'do not ask',
    check: (options, given) => void meansMany(given, options),
    run: async (access, options, given) => {
      const { io } = access;
      const done = meansMany(given, options)
        ? await changeMany(access, options, many)
        : await named(
            access,
            given.map((ticket) => ticketIdFrom(ticket, io)),
            options,
          );
      if (!done) return;
      const [json, line] = tell(done);
      io.out(options.json ? JSON.stringify(json) : line);
      await tellInForce(access, done.inForce, options);
    },
  });
}

/** True when all tickets of an event or a batch are meant. @throws TicketscanError `usage` unless one of the three is named */
function meansMany(given: readonly string[], options: ManyOptions): boolean {
  const { event, batch, reference } = options;
  const isMany = [event, batch, reference].some((one) => one !== undefined);
  if (isMany === given.length > 0) {
    throw new TicketscanError(
      'usage',
      'Name tickets, or all of them with --event, --batch or --reference.',
    );
  }
  if (isMany) refuseSeveral({ event, batch, reference });
  return isMany;
}

async function changeNamed(
  access: DataAccess,
  operation: typeof cancelTickets | typeof reinstateTickets,
  ids: readonly string[],
  options: CommonOptions,
): Promise<undefined> {
  await requireTickets(access, ids);
  const changed: TicketView[] = [];
  let inForce: InForce | undefined;
  for (let start = 0; start < ids.length; start += NAMED_TICKETS_MAX) {
    const some = ids.slice(start, start + NAMED_TICKETS_MAX);
    const done = await access.call(operation, { ids: some });
    changed.push(...done.items);
    inForce = bothInForce(inForce, done.inForce);
  }
  const state = operation === cancelTickets ? 'cancelled' : 'reinstated';
  const lines = changed.map(({ ticketId }) => `Ticket ${ticketId} is ${state}.`);
  showResult(access.io, options, z.encode(z.array(TicketJson), changed), lines);
  await tellInForce(access, inForce, options);
}

/** @throws TicketscanError `conflict` for the first ticket that cannot be deleted */
async function deleteNamed({ io, call }: DataAccess, ids: readonly string[]): Promise<void> {
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
  access: DataAccess,
  options: ManyOptions,
  { consequence, doing, step }: Pick<ManyCommand, 'consequence' | 'doing' | 'step'>,
): Promise<Changed | undefined> {
  const { io } = access;
  const { chosen, name, total } = await chosenBy(access, options);
  // Nobody is asked about tickets that are not there.
  if (total === 0 || !(await hasAny(access, chosen))) throw noTicketOf(name);
  const which = total === undefined ? name : `${name} (${counted(total, 'ticket')})`;
  const question = `Every ticket of ${which} ${consequence}.`;
  if (!(await confirm(io, { ...options, consequence: question, needsYes: true }))) return undefined;
  const progress = new Progress(io, access.clock.monotonicMs);
  progress.begin(doing, total ?? 0);
  const sum = { changed: 0, kept: 0, inForce: undefined as InForce | undefined };
  try {
    let after: string | null = null;
    do {
      const done: StepDone & Changed = await access.call(step, { ...chosen, after });
      sum.changed += done.changed;
      sum.kept += done.kept;
      sum.inForce = bothInForce(sum.inForce, done.inForce);
      after = done.next;
      progress.update(sum.changed + sum.kept);
    } while (after !== null);
  } finally {
    progress.clear();
  }
  if (sum.changed + sum.kept === 0) throw noTicketOf(name);
  return sum;
}

async function hasAny(access: DataAccess, chosen: Chosen['chosen']): Promise<boolean> {
  const first = await filteredTickets(access, chosen, { limit: 1 }).next();
  return !first.done;
}

function noTicketOf(name: string, advice = ''): TicketscanError {
  return new TicketscanError(
    'not_found',
    `There is no ticket of ${name}.${NOTHING_CHANGED}${advice}`,
  );
}

const REFERENCES_NAMED = 3;
/** Tickets among which references that begin so are looked for. */
const TICKETS_LOOKED_AT = 1000;

/** Names references that begin with a text, in any case of letters: each position of an order may have one of its own. */
async function thoseThatBeginSo(
  access: DataAccess,
  text: string,
  event: string | undefined,
): Promise<string> {
  const begin = text.trim().toLowerCase();
  const filter = { search: text.trim(), ...defined({ event }) };
  const named = new Set<string>();
  for await (const { reference } of filteredTickets(access, filter, { limit: TICKETS_LOOKED_AT }))
    if (reference?.toLowerCase().startsWith(begin)) named.add(reference);
  if (named.size === 0) return '';
  const shown = [...named].slice(0, REFERENCES_NAMED).map(sanitizeForTerminal);
  const more = named.size > shown.length ? ', …' : '';
  const [are, each] = named.size === 1 ? ['is', 'it'] : ['are', 'each'];
  return ` A reference is written letter for letter. There ${are} ${shown.join(', ')}${more}: name ${each} with --reference.`;
}

interface Chosen {
  readonly chosen: {
    readonly event?: string;
    readonly batch?: string;
    readonly reference?: string;
  };
  readonly name: string;
  readonly total?: number;
}

async function chosenBy(
  access: DataAccess,
  { event, batch = '', reference }: ManyOptions,
): Promise<Chosen> {
  if (reference !== undefined) return chosenByReference(access, reference, event);
  if (event === undefined)
    return { chosen: { batch }, name: `batch ${sanitizeForTerminal(batch)}` };
  const { id, name, tickets } = await access.findEvent(event);
  return {
    chosen: { event: id },
    name: `event "${sanitizeForTerminal(name)}"`,
    total: tickets.total,
  };
}

/**
 * The tickets with a reference. Two shops may give the same one: those of several organisations are never meant at once.
 * @throws TicketscanError `usage`, and `not_found` when there are none
 */
export async function chosenByReference(
  access: DataAccess,
  reference: string,
  event: string | undefined,
): Promise<Chosen> {
  requireReference(reference, NOTHING_CHANGED);
  const owners = new Map<string, string>();
  for (const { id, organisationId } of await access.list('event')) owners.set(id, organisationId);
  const found = new Set<string | undefined>();
  let total = 0;
  for await (const ticket of filteredTickets(access, { reference, ...defined({ event }) })) {
    found.add(owners.get(ticket.event));
    total += 1;
  }
  if (found.size > 1)
    throw new TicketscanError(
      'usage',
      `Several organisations have tickets with the reference ${reference}. Add --event EVENT.`,
    );
  const chosenEvent = event === undefined ? {} : { event: (await access.findEvent(event)).id };
  const name = `reference "${sanitizeForTerminal(reference)}"`;
  if (total === 0) throw noTicketOf(name, await thoseThatBeginSo(access, reference, event));
  return { chosen: { reference, ...chosenEvent }, name, total };
}
