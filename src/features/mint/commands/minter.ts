import type { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import type { AnswerOf, InputOf } from '../../../operations/operation.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { withData } from '../../data-access.ts';
import { createTickets } from '../../tickets/operations.ts';
import { TICKETS_AT_ONCE_MAX } from '../../tickets/rules.ts';

/** Where a command gets new tickets: from a server's admin API, or from a store and its keyring. */
export interface MinterFlags {
  readonly token?: string;
  readonly adminUrl?: string;
  readonly store?: string;
  readonly keyring?: string;
  readonly mintEvent?: string;
  readonly ca?: string;
}

/** The options of commands that need new tickets while they run. */
export function addMinterOptions(command: Command): Command {
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

/** What all tickets of one call have in common. */
export type MintedTerms = Omit<InputOf<typeof createTickets>, 'event' | 'count'>;

type MintedTicket = AnswerOf<typeof createTickets>['items'][number];

/** Makes tickets alike, however many. @throws TicketscanError */
export type Minter = (terms: MintedTerms, count: number) => Promise<readonly MintedTicket[]>;

/** What a command knows of the service that will scan the tickets. */
interface ScanningService {
  /** Its address, where the admin API has none of its own. */
  readonly baseUrl: string | undefined;
  /** A code of the event of the tickets: every key that scans it may then scan the new ones. */
  readonly code: string | undefined;
}

/** Runs `work` with a minter; without one where the flags say neither a token nor a store. @throws TicketscanError */
export async function withMinter(
  io: CliIo,
  flags: MinterFlags,
  service: ScanningService,
  work: (minter: Minter | undefined) => Promise<void>,
): Promise<void> {
  const { token, store, keyring, ca } = flags;
  if (token === undefined && store === undefined) return work(undefined);
  const url = flags.adminUrl ?? service.baseUrl;
  if (token !== undefined && url === undefined)
    throw new TicketscanError('usage', '--token needs --admin-url.');
  const options = token === undefined ? { store, keyring } : { url, token, ca };
  await withData(io, options, async ({ call, findEvent }) => {
    const event = await findEvent(flags.mintEvent ?? eventOf(service.code));
    await work(async (terms, count) => {
      const made: MintedTicket[] = [];
      while (made.length < count) {
        const next = Math.min(count - made.length, TICKETS_AT_ONCE_MAX);
        const { items } = await call(createTickets, { ...terms, event: event.id, count: next });
        made.push(...items);
      }
      return made;
    });
  });
}

function eventOf(code: string | undefined): string {
  const event = eventOfTicketId(code?.split('.')[1] ?? '');
  if (event !== undefined) return event;
  throw new TicketscanError(
    'usage',
    'For which event may tickets be made? The target has no ticket that shows it. Add --mint-event ID.',
  );
}
