import {
  type MintedTerms,
  type Minter,
  type MinterFlags,
  withMinter,
} from '../../features/mint/commands/minter.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { Mint, TargetInput, TargetTicket, TicketKind } from '../index.ts';

const MADE_AT_ONCE = 10;
const HOUR_MS = 3_600_000;

/** Runs `work` with a way to make the tickets that the target lacks, where the flags name one. @throws TicketscanError */
export function withFreshTickets(
  io: CliIo,
  flags: MinterFlags,
  { baseUrl, target }: { readonly baseUrl: string | undefined; readonly target: TargetInput },
  work: (mint: Mint | undefined) => Promise<void>,
): Promise<void> {
  const service = { baseUrl: baseUrl ?? target.baseUrl, code: codeIn(target) };
  return withMinter(io, flags, service, (minter) => work(minter && ofEachKind(minter)));
}

function codeIn({ tickets }: TargetInput): string | undefined {
  const first = tickets?.single?.[0] ?? tickets?.multi?.[0];
  return typeof first === 'string' ? first : first?.code;
}

/** Makes several at a time, and hands them out one by one. */
function ofEachKind(minter: Minter): Mint {
  const stock = new Map<TicketKind, TargetTicket[]>();
  return async (kind) => {
    const terms = termsOf(kind);
    if (!terms) return undefined;
    const left = stock.get(kind) ?? [];
    if (left.length === 0) {
      const made = await minter(terms, MADE_AT_ONCE);
      left.push(
        ...made.map(({ code, ticketId, usesAllowed }) => ({ code, ticketId, usesAllowed })),
      );
    }
    stock.set(kind, left);
    return left.pop();
  };
}

/** What a new ticket of a kind is; undefined for a state that no new ticket has. */
function termsOf(kind: TicketKind): MintedTerms | undefined {
  const hourAgo = Date.now() - HOUR_MS;
  const tomorrow = Date.now() + 24 * HOUR_MS;
  switch (kind) {
    case 'single':
    case 'permanent':
      return { type: kind };
    case 'multi':
      return { type: kind, uses: 10 };
    case 'hundred':
      return { type: 'multi', uses: 100 };
    case 'openEnd':
      return { type: 'single', validFrom: hourAgo };
    case 'openStart':
      return { type: 'single', validUntil: tomorrow };
    case 'personalised':
      return { type: 'single', holder: { firstName: 'Zoë', lastName: 'Prüfer' } };
    case 'windowed':
      return { type: 'single', validFrom: hourAgo, validUntil: tomorrow };
    default:
      return undefined;
  }
}
