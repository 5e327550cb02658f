import * as z from 'zod';
import { reaches } from '../../core/administrative-records.ts';
import { TICKET_STATES } from '../../core/decision.ts';
import { GIVEN_FIELD_SHAPE, peopleText } from '../../core/field-shapes.ts';
import { USES_MULTI_MAX, USES_PERMANENT } from '../../core/limits.ts';
import { HolderJson, TicketJson, ticketView, windowOf } from '../../core/records.ts';
import { boundsFrom, holderFrom, TICKET_KINDS, type Ticket, UNUSED } from '../../core/ticket.ts';
import { isVerifyingOnly, type Keyring, makeTicketCode } from '../../core/ticket-code.ts';
import { fieldEditsFrom } from '../../core/ticket-field-values.ts';
import { TICKET_FIELDS } from '../../core/ticket-fields.ts';
import { Done, Id, KeptTime, PageLimit } from '../../operations/fields.ts';
import type { Frozen } from '../../operations/operation.ts';
import { ordinalIn } from '../../stores/ticket-row.ts';
import { type OperationContext, operation } from '../context.ts';
import { LastUse, lastUseOf } from '../log/last-use.ts';
import { InForce, inForceOfTickets, withInForce } from '../sites/in-force.ts';
import {
  CODES_FROM,
  ERASED_AT_ONCE_MAX,
  linksOfTicket,
  NAMED_TICKETS_MAX,
  refuseMany,
  refuseSeveral,
  SEARCH_CHARACTERS_MAX,
  TICKETS_AT_ONCE_MAX,
  TicketAdministration,
} from './rules.ts';

/** Tickets examined per request: the store works on them for some 10 ms. */
const SEARCH_MAX = 20_000;
/** The most characters of ids in an address: servers and proxies let one be as long. */
const PAGE_IDS_CHARACTERS_MAX = 4000;

export const TicketWithCode = TicketJson.extend({ code: z.string() }).meta({
  id: 'TicketWithCode',
});
type TicketWithCode = Frozen<z.output<typeof TicketWithCode>>;

export const ShownTicket = TicketJson.extend({
  /** The code; null for a viewer, because any person who has it is admitted with it, and at a site, which makes none. */
  code: z.string().nullable(),
  /** The lost ticket that it was issued for. */
  replaces: z.string().nullable(),
  /** The ticket that was issued in its place. */
  replacedBy: z.string().nullable(),
  /** Where its latest change is in force, if its event is at a site and it was changed since it went there. */
  inForce: InForce.exactOptional(),
}).meta({ id: 'ShownTicket' });

const NewTickets = z.object({
  event: z.string(),
  type: z.enum(TICKET_KINDS),
  /** The uses of a multi-use card, 2 to 100. */
  uses: z.number().int().min(1).max(Math.max(USES_MULTI_MAX, USES_PERMANENT)).optional(),
  count: z.number().int().min(1).max(TICKETS_AT_ONCE_MAX).default(1),
  holder: HolderJson.partial().optional(),
  ...windowOf(KeptTime.nullable().optional()),
  ...GIVEN_FIELD_SHAPE,
  /** Refuses a reference that a ticket of the organisation has: who sends an order twice gets its tickets once. */
  uniqueReference: z.boolean().default(false),
});
export const CreatedTickets = z.object({ items: z.array(TicketWithCode) });

export const Reference = peopleText(TICKET_FIELDS.reference.charactersMax);

/** All tickets of one event, of one batch, or with one reference. */
const ManyTickets = z.object({
  event: z.string().max(100).optional(),
  batch: z.string().max(100).optional(),
  reference: Reference.optional(),
  /** The `next` of the request before. */
  after: z.string().max(100).nullable().default(null),
});
/** One request works on a limited number of tickets: send it again with `next` as `after` until `next` is null. */
const ManyDone = z
  .object({
    changed: z.number().int(),
    /** Used, or in the scan log. */
    kept: z.number().int(),
    next: z.string().nullable(),
  })
  .meta({ id: 'ManyDone' });

const ChosenTickets = ManyTickets.extend({
  /** The ids of these tickets, in place of all of an event or a batch. */
  ids: z.array(z.string()).min(1).max(NAMED_TICKETS_MAX).optional(),
});
const ChangedTickets = z
  .object({
    changed: z.number().int(),
    /** Cancelled, or not cancelled, before. */
    kept: z.number().int(),
    /** The cursor of the next request; null when all tickets are done, and always for named tickets. */
    next: z.string().nullable(),
    /** The named tickets as they are now; none of those of an event or a batch. */
    items: z.array(TicketJson),
    /** Where this is in force, if the event of one of the tickets is at a site. */
    inForce: InForce.exactOptional(),
  })
  .meta({ id: 'ChangedTickets' });

const STEPS =
  'One request works on a limited number of tickets: send it again with `next` as `after` until `next` is null.';
const CHOICE = `Give \`ids\`, an \`event\`, a \`batch\` or a \`reference\`. Of \`ids\`, nothing is changed unless all of them exist. Of the others, o${STEPS.slice(1)}`;
const HOLDS =
  'Applies to every scan that starts after the answer; at a site, when that has heard of it: see `inForce`.';

const tag = 'Tickets';

export const listTickets = operation({
  id: 'listTickets',
  http: 'GET /tickets',
  tag,
  role: 'viewer',
  summary: 'List and search tickets, in the order of their creation or against it',
  description:
    'One answer examines a limited number of tickets: a page can be short, even empty, and still have a `next`. `searched` says which part of the tickets is behind the search then, from 0 to 1.',
  query: z.object({
    event: z.string().optional(),
    /** What a scan would answer now. */
    state: z.enum(TICKET_STATES).optional(),
    /** Part of the id, of the holder's name or of the reference. */
    search: z.string().max(SEARCH_CHARACTERS_MAX).optional(),
    batch: z.string().max(100).optional(),
    /** The whole reference, letter for letter. */
    reference: Reference.optional(),
    /** The ids of the wanted tickets, separated by commas. Unknown ids are left out, and all other conditions are ignored. */
    ids: z.string().max(PAGE_IDS_CHARACTERS_MAX).optional(),
    order: z
      .enum(['oldest', 'newest'])
      .default('oldest')
      .meta({ description: 'Which come first.' }),
    /** The `next` of the page before, or the id of its last ticket. */
    after: z.string().max(100).optional(),
    limit: PageLimit,
  }),
  answer: z.object({
    items: z.array(TicketJson),
    next: z.string().nullable(),
    searched: z.number().min(0).max(1),
  }),
  run: async ({ store, clock, scope }, query) => {
    const { event, state, search, batch, reference, ids, order, after, limit } = query;
    const now = clock.now();
    if (ids !== undefined) {
      const found = await scope.ownTickets(ids.split(','));
      return { items: found.map((ticket) => ticketView(ticket, now)), next: null, searched: 1 };
    }
    const events = event === undefined ? await scope.events() : [await scope.event(event)];
    // The list would start again at its first ticket.
    if (after !== undefined && ordinalIn(after) === undefined) await scope.ticket(after);
    const page = await store.searchTickets({
      eventIds: events.map(({ id }) => id),
      limit,
      searchMax: SEARCH_MAX,
      newestFirst: order === 'newest',
      ...(state && { state: { is: state, now } }),
      ...(search && { search }),
      ...(batch !== undefined && { batch }),
      ...(reference !== undefined && { reference }),
      ...(after !== undefined && { afterId: after }),
    });
    const items = page.tickets.map((ticket) => ticketView(ticket, now));
    return { items, next: page.next, searched: page.searched };
  },
});

export const getTicket = operation({
  id: 'getTicket',
  http: 'GET /tickets/:id',
  tag,
  role: 'viewer',
  summary: 'A ticket, for operators and owners with its code',
  params: Id,
  answer: ShownTicket,
  run: async ({ store, clock, scope, keyring }, { id }) => {
    const ticket = await scope.ticket(id);
    const links = await linksOfTicket(store, id);
    const signing = reaches(scope.role, CODES_FROM) ? await keyring() : undefined;
    const code = signing && !isVerifyingOnly(signing) ? makeTicketCode(id, signing, 'TS1') : null;
    const shown = { ...ticketView(ticket, clock.now()), code, ...links };
    return withInForce(shown, inForceOfTickets(store, [id]));
  },
});

export const getLastUse = operation({
  id: 'getLastUse',
  http: 'GET /tickets/:id/last-use',
  tag,
  role: 'viewer',
  summary: 'When and where a ticket was last used',
  description:
    '`lastUse` is null for a ticket that was never used; `gate` is null when the scan log does not have the use any more. The gate is the serial of the device, or the name of the key or account where the device says none.',
  params: Id,
  answer: z.object({ lastUse: LastUse.nullable() }).meta({ id: 'LastUseOfTicket' }),
  run: async ({ scope }, { id }) => ({ lastUse: await lastUseOf(await scope.ticket(id), scope) }),
});

export const createTickets = operation({
  id: 'createTickets',
  http: 'POST /tickets',
  tag,
  role: 'operator',
  share: 'changes',
  summary: 'Create tickets, all or none',
  body: NewTickets,
  status: 201,
  answer: CreatedTickets,
  run: async (context, { event: eventId, type, count, holder, uniqueReference, ...others }) => {
    const { scope, keyring, clock } = context;
    const event = await scope.event(eventId);
    const options = { kind: type, ...holder, ...others };
    const references = uniqueReference ? 'unique' : undefined;
    const made = await administrationOf(context).create(event, options, count, references);
    const [keys, now] = [await keyring(), clock.now()];
    return { items: made.map((ticket) => withCode({ ...ticket, ...UNUSED }, keys, now)) };
  },
});

export const cancelTickets = operation({
  id: 'cancelTickets',
  http: 'POST /tickets/cancel',
  tag,
  role: 'operator',
  share: 'changes',
  summary: 'Cancel tickets: named ones, or all of an event, a batch or a reference',
  description: `${HOLDS} ${CHOICE}`,
  body: ChosenTickets,
  answer: ChangedTickets,
  run: (context, chosen) => changeChosen(context, 'cancel', chosen),
});

export const reinstateTickets = operation({
  id: 'reinstateTickets',
  http: 'POST /tickets/reinstate',
  tag,
  role: 'operator',
  share: 'changes',
  summary: 'Reinstate cancelled tickets: named ones, or all of an event, a batch or a reference',
  description: `${HOLDS} ${CHOICE}`,
  body: ChosenTickets,
  answer: ChangedTickets,
  run: (context, chosen) => changeChosen(context, 'reinstate', chosen),
});

export const editTicket = operation({
  id: 'editTicket',
  http: 'PATCH /tickets/:id',
  tag,
  role: 'operator',
  summary: 'Change holder, validity or uses of a ticket, or what is written on it',
  description: 'Members that are not given keep their values. The kind of a ticket cannot change.',
  params: Id,
  body: z.object({
    holder: HolderJson.partial().nullable().optional(),
    /** The uses of a multi-use card, 2 to 100, and never below those that were consumed. */
    uses: z.number().int().optional(),
    ...windowOf(KeptTime.nullable().optional()),
    ...GIVEN_FIELD_SHAPE,
  }),
  answer: TicketJson,
  run: async (context, { id, holder, uses, validFrom, validUntil, ...fields }) => {
    await context.scope.ticket(id);
    const edited = await administrationOf(context).edit(id, {
      ...(holder !== undefined && { holder: holderFrom(holder?.firstName, holder?.lastName) }),
      ...(uses !== undefined && { usesAllowed: uses }),
      ...boundsFrom({ validFrom, validUntil }, (time) => time),
      ...fieldEditsFrom(fields),
    });
    return ticketView(edited, context.clock.now());
  },
});

export const replaceTicket = operation({
  id: 'replaceTicket',
  http: 'POST /tickets/:id/replace',
  tag,
  role: 'operator',
  summary: 'Issue another ticket in the place of a lost one',
  description: `The lost ticket is cancelled, and cannot be reinstated. The new one has its kind, holder, validity, batch and uses, also those that were consumed. ${HOLDS}`,
  params: Id,
  status: 201,
  answer: ShownTicket,
  run: async (context, { id }) => {
    await context.scope.ticket(id);
    // Before anything changes: nobody could enter with a ticket that has no code.
    const keys = await context.keyring();
    const made = await administrationOf(context).replace(id);
    return { ...withCode(made, keys, context.clock.now()), replaces: id, replacedBy: null };
  },
});

export const deleteTicket = operation({
  id: 'deleteTicket',
  http: 'DELETE /tickets/:id',
  tag,
  role: 'operator',
  summary: 'Delete a ticket that was never used',
  description: 'A ticket that the scan log names cannot be deleted; cancel it instead.',
  params: Id,
  answer: Done,
  run: async (context, { id }) => {
    await context.scope.ticket(id);
    await administrationOf(context).deleteOne(id);
    return {};
  },
});

export const deleteManyTickets = operation({
  id: 'deleteManyTickets',
  http: 'POST /tickets/delete',
  tag,
  role: 'operator',
  share: 'changes',
  summary: 'Delete the unused tickets of an event, a batch or a reference',
  description: `Tickets that were used, that the scan log names, or that belong to a replacement, are kept. ${STEPS}`,
  body: ManyTickets,
  answer: ManyDone,
  run: (context, many) => step(context, 'delete', many),
});

async function changeChosen(
  context: OperationContext,
  action: 'cancel' | 'reinstate',
  { ids: given, ...many }: z.output<typeof ChosenTickets>,
): Promise<Frozen<z.output<typeof ChangedTickets>>> {
  if (given === undefined) return { ...(await step(context, action, many)), items: [] };
  refuseMany(many);
  const ids = [...new Set(given)];
  const { store, clock, scope } = context;
  await scope.tickets(ids);
  const changed = await administrationOf(context)[action](ids);
  const found = new Map((await store.findTickets(ids)).map((ticket) => [ticket.id, ticket]));
  const now = clock.now();
  const items = ids.flatMap((id) => {
    const ticket = found.get(id);
    return ticket ? [ticketView(ticket, now)] : [];
  });
  const done = { changed, kept: items.length - changed, next: null, items };
  return withInForce(done, inForceOfTickets(store, ids));
}

async function step(
  context: OperationContext,
  action: 'cancel' | 'reinstate' | 'delete',
  { event, batch, reference, after }: z.output<typeof ManyTickets>,
) {
  refuseSeveral({ event, batch, reference });
  const { scope } = context;
  const events = event === undefined ? await scope.events() : [await scope.event(event)];
  const chosen = { eventIds: events.map(({ id }) => id), batch, reference };
  const { ids, ...done } = await administrationOf(context).step(action, chosen, after);
  return withInForce(done, inForceOfTickets(context.store, ids));
}

export function administrationOf({
  store,
  clock,
  random,
  scope,
}: Pick<OperationContext, 'store' | 'clock' | 'random' | 'scope'>): TicketAdministration {
  const { actor, organisationId } = scope;
  return new TicketAdministration(store, clock, random, actor, organisationId);
}

/** The code is computed from the keyring: it is not stored. @throws TicketscanError `keyring` */
export function withCode(ticket: Ticket, keyring: Keyring, now: number): TicketWithCode {
  return { ...ticketView(ticket, now), code: makeTicketCode(ticket.id, keyring, 'TS1') };
}

const Erased = z
  .object({
    erased: z.number().int().meta({ description: 'how many of the tickets had a holder' }),
    isPurged: z.boolean().meta({
      description: "false when bytes of the names may still be in free space of the store's files",
    }),
  })
  .meta({ id: 'Erased' });

export const eraseHolders = operation({
  id: 'eraseHolders',
  http: 'POST /tickets/erase-holders',
  tag: 'Tickets',
  role: 'owner',
  share: 'changes',
  summary: 'Erase the holders of tickets',
  description:
    'Permanently removes the names from the tickets, from stored answers and from the audit log, and the reasons of uses that were taken back. The ' +
    'tickets stay valid. Backups and printed tickets are not changed.',
  body: z.object({ ids: z.array(z.string().min(1).max(100)).min(1).max(ERASED_AT_ONCE_MAX) }),
  answer: Erased,
  run: async (context, { ids }) => {
    // On the store also of tickets that were deleted: the audit log may still name their holders.
    if (context.server) await context.scope.tickets(ids);
    const erased = await administrationOf(context).eraseHolders(ids);
    // Gates wait for a patient purge; a command on the store has the time.
    return { erased, isPurged: await context.store.purgeErased(!context.server) };
  },
});
