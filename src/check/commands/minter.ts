import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import type { TicketOptions } from '../../core/ticket-changes.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { COMMAND_LINE } from '../../features/actor.ts';
import { administrationOn } from '../../features/keys/administration.ts';
import { TicketAdministration } from '../../features/tickets/administration.ts';
import { CreatedTickets } from '../../features/tickets/operations.ts';
import { AdminClient } from '../../operations/call.ts';
import { withStore } from '../../operations/store-access.ts';
import type { CliIo } from '../../terminal/io.ts';
import { readKeyValue } from '../../terminal/key-value.ts';
import { readCa } from '../../terminal/options.ts';
import type { Mint, TargetInput, TargetTicket, TicketKind } from '../index.ts';

/** Where new tickets for shrinking come from: a server's admin API, or the store and its keyring. */
export interface MintFlags {
  readonly token?: string;
  readonly adminUrl?: string;
  readonly store?: string;
  readonly keyring?: string;
  readonly mintEvent?: string;
  readonly ca?: string;
}

const BATCH = 10;
const HOUR_MS = 3_600_000;

/** The options that let a run make tickets. */
export function addMintOptions(command: Command): Command {
  return command
    .option(
      '--token <token>',
      'admin access token, to create new tickets as needed; env:NAME, file:PATH',
    )
    .option('--admin-url <url>', 'address of the admin API (default: the base address)')
    .option('--store <url>', 'or create them in this store, which the server must share')
    .option('--keyring <file>', 'the signing keys of that store')
    .option(
      '--mint-event <event>',
      "event of new tickets (default: the event of the target's tickets)",
    );
}

/** Runs `work` with a way to make tickets, where the flags name one. @throws TicketscanError */
export async function withMinter(
  io: CliIo,
  flags: MintFlags,
  service: {
    readonly baseUrl: string | undefined;
    readonly target: TargetInput;
    /** How many are made at a time. */
    readonly batch?: number;
  },
  work: (mint: Mint | undefined) => Promise<void>,
): Promise<void> {
  const { batch = BATCH } = service;
  if (flags.token !== undefined) {
    const url = flags.adminUrl ?? service.baseUrl ?? service.target.baseUrl;
    if (url === undefined) throw new TicketscanError('usage', '--token needs --admin-url.');
    const client = new AdminClient(url, readKeyValue(flags.token, io, '--token'), {
      ca: readCa(flags, io),
    });
    const event = eventOf(flags, service.target);
    return work(inBatches((kind) => mintRemotely(client, kind, event, batch)));
  }
  if (flags.store === undefined) return work(undefined);
  return withStore(io, { store: flags.store, keyring: flags.keyring }, async (access) => {
    const keyring = await access.keyring();
    const event = await administrationOn(access).findEvent(eventOf(flags, service.target));
    const administration = new TicketAdministration(
      access.store,
      access.clock,
      randomBytes,
      COMMAND_LINE,
    );
    await work(
      inBatches(async (kind) => {
        const options = optionsFor(kind, event.id);
        if (!options) return [];
        const tickets = await administration.create(event, options, batch);
        return tickets.map(({ id, usesAllowed }) => ({
          code: makeTicketCode(id, keyring, 'TS1'),
          ticketId: id,
          usesAllowed,
        }));
      }),
    );
  });
}

async function mintRemotely(
  client: AdminClient,
  kind: TicketKind,
  event: string,
  count: number,
): Promise<TargetTicket[]> {
  const options = optionsFor(kind, event);
  if (!options) return [];
  const { items } = await client.post('/tickets', CreatedTickets, {
    event,
    type: options.kind,
    count,
    ...(options.uses === undefined ? {} : { uses: options.uses }),
    ...(options.firstName === undefined
      ? {}
      : { holder: { firstName: options.firstName, lastName: options.lastName } }),
    ...(options.validFrom == null ? {} : { validFrom: new Date(options.validFrom).toISOString() }),
    ...(options.validUntil == null
      ? {}
      : { validUntil: new Date(options.validUntil).toISOString() }),
  });
  return items.map(({ code, ticketId, usesAllowed }) => ({ code, ticketId, usesAllowed }));
}

/** Makes several at a time, and hands them out one by one. */
function inBatches(make: (kind: TicketKind) => Promise<TargetTicket[]>): Mint {
  const stock = new Map<TicketKind, TargetTicket[]>();
  return async (kind) => {
    const left = stock.get(kind) ?? [];
    if (left.length === 0) left.push(...(await make(kind)));
    stock.set(kind, left);
    return left.pop();
  };
}

/** The event of the target's tickets, so that every key of the target may scan the new ones. */
function eventOf({ mintEvent }: MintFlags, { tickets }: TargetInput): string {
  if (mintEvent !== undefined) return mintEvent;
  const first = tickets?.single?.[0] ?? tickets?.multi?.[0];
  const code = typeof first === 'string' ? first : first?.code;
  const event = eventOfTicketId(code?.split('.')[1] ?? '');
  if (event !== undefined) return event;
  throw new TicketscanError(
    'usage',
    'For which event may tickets be made? The target has no ticket that shows it. Add --mint-event ID.',
  );
}

function optionsFor(kind: TicketKind, eventId: string): TicketOptions | undefined {
  const now = Date.now();
  switch (kind) {
    case 'single':
    case 'permanent':
      return { eventId, kind };
    case 'multi':
      return { eventId, kind, uses: 10 };
    case 'hundred':
      return { eventId, kind: 'multi', uses: 100 };
    case 'openEnd':
      return { eventId, kind: 'single', validFrom: now - HOUR_MS };
    case 'openStart':
      return { eventId, kind: 'single', validUntil: now + 24 * HOUR_MS };
    case 'personalised':
      return { eventId, kind: 'single', firstName: 'Zoë', lastName: 'Prüfer' };
    case 'windowed': {
      const validFrom = now - HOUR_MS;
      return { eventId, kind: 'single', validFrom, validUntil: now + 24 * HOUR_MS };
    }
    default:
      return undefined;
  }
}
