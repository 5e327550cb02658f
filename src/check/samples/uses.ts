import type { Send } from '../cases/run-services.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName, TargetTicket } from '../deployment/target.ts';
import { DENIAL_NOTES, grantNote, usesInNote } from '../facts/device-answer.ts';
import {
  type ConsumeEndpoint,
  type Exchange,
  isConsume,
  isDevice,
  type ScanEndpoint,
  type ValidateEndpoint,
} from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { countIn, expectFields, objectOf } from '../judging/expect.ts';

/** Kinds of tickets whose uses are followed. */
export const USED_KINDS = ['multi', 'hundred', 'personalised', 'windowed'] as const;
export type UsedKind = (typeof USED_KINDS)[number];

/** More uses than this are not spent to see a card's end; a card of the target with fewer is looked for. */
export const USES_TO_EXHAUST_MAX = 12;
/** The uses that follow the first, at most. */
const FURTHER_USES: Readonly<Record<UsedKind, number>> = {
  multi: USES_TO_EXHAUST_MAX - 1,
  hundred: 2,
  personalised: 2,
  windowed: 2,
};

/** The readers of a device, which read in turn. */
export const READERS = [0, 1, 2, 3] as const;

/** An answer in the life of a ticket. */
export interface UseAnswer {
  readonly endpoint: ScanEndpoint;
  readonly exchange: Exchange;
  /** The uses that had been taken when it was given, itself included. */
  readonly used: number;
  readonly isGranted: boolean;
}

/** The uses of one ticket on both consume endpoints, and what every endpoint answered in between. */
export interface Uses {
  readonly allowed: number;
  readonly answers: readonly UseAnswer[];
}

/** The name of the shared answers about the uses of a ticket of that kind, which begin on that endpoint. */
function usesSampleOf(kind: UsedKind, first: ConsumeEndpoint): string {
  return `uses of ${kind}@${first}`;
}

/** The shared answers about the uses of a ticket of that kind, the first of them included. */
export function usesSamplesOf(kind: UsedKind, first: ConsumeEndpoint): string[] {
  return [`${kind}@${first}`, usesSampleOf(kind, first)];
}

/** Follows the ticket of a shared answer of a consume endpoint through its further uses. */
export function followed(kind: UsedKind, first: ConsumeEndpoint) {
  return {
    name: usesSampleOf(kind, first),
    after: `${kind}@${first}`,
    keys: ['rest', 'hardware'] as const,
    uses: { [kind]: FURTHER_USES[kind] },
    async run(scan: Scan): Promise<Exchange> {
      const { answers } = await usesOf(scan, kind, first);
      return (answers.at(-1) as UseAnswer).exchange;
    },
  };
}

/** The uses of that ticket; the first call makes them. */
export function usesOf(scan: Scan, kind: UsedKind, first: ConsumeEndpoint): Promise<Uses> {
  return scan.once(usesSampleOf(kind, first), () => follow(scan, kind, first));
}

async function follow(scan: Scan, kind: UsedKind, first: ConsumeEndpoint): Promise<Uses> {
  const sample = `${kind}@${first}`;
  const exchange = await scan.sample(sample);
  const { used, allowed } = usesIn(scan.before(sample));
  // A good ticket has a use left, whatever a look shows.
  const before = used < allowed ? used : 0;
  const ticket = { code: scan.ticketOf(sample, kind).code, allowed, used: before + 1 };
  const answers: UseAnswer[] = [{ endpoint: first, exchange, used: ticket.used, isGranted: true }];
  let reads = 0;
  const ask = async (...endpoints: readonly ScanEndpoint[]) => {
    for (const endpoint of endpoints) {
      if (isDevice(endpoint)) reads += 1;
      answers.push(await shown(scan, ticket, endpoint, { reader: reads % READERS.length }));
    }
  };
  const other = first === 'consume' ? 'hw/consume' : 'consume';
  const left = allowed - ticket.used;
  await ask('hw/validate', 'validate', first);
  if (left > 0) await ask('hw/validate', 'validate', other);
  if (left > 0 && left <= FURTHER_USES[kind]) {
    for (let further = left - 2; further > 0; further -= 1) {
      if (allowed - ticket.used <= 2) await ask('hw/validate', 'validate');
      await ask(first);
    }
    await ask(first, other, 'validate', 'hw/validate');
  }
  // What software is told after a use on the other side.
  if (left > FURTHER_USES[kind]) await ask('validate');
  return { allowed, answers };
}

/** A ticket, and the uses that it has had. */
export interface CountedTicket {
  readonly code: string;
  readonly allowed: number;
  used: number;
}

/** A single ticket that nobody has used. */
export function unused(code: string): CountedTicket {
  return { code, allowed: 1, used: 0 };
}

/** A ticket with the uses that it has had before. */
export async function counted(
  scan: Scan,
  code: string,
  look: ValidateEndpoint = 'validate',
): Promise<CountedTicket> {
  return { code, ...usesIn(await scan.ask(look, code)) };
}

/** A ticket of any kind with the uses that a look shows; unused where the look shows all of them taken, which a good ticket has not. */
export function asShown({ code, usesAllowed }: TargetTicket, { answer }: Exchange): CountedTicket {
  const shown = read(answer);
  const allowed = usesAllowed ?? shown.allowed ?? 1;
  const used = shown.used ?? 0;
  return { code, allowed, used: used < allowed ? used : 0 };
}

/** What says of a good ticket that it takes no use of it. */
const REFUSALS: readonly Outcome[] = [
  ...([
    'exhausted',
    'invalid_ticket',
    'event_not_allowed',
    'not_found',
    'ticket_cancelled',
  ] as const),
  ...(['not_yet_valid', 'expired', 'missing_ticket_code', 'unauthorised'] as const),
];

/** How a ticket is shown, where it matters. */
interface Showing {
  readonly key?: KeyName;
  readonly reader?: number;
  readonly send?: Send;
}

/** Shows a ticket: on consume it loses a use, as long as one is left. */
export async function shown(
  scan: Scan,
  ticket: CountedTicket,
  endpoint: ScanEndpoint,
  { key, reader, send = (spec) => scan.send(spec) }: Showing,
): Promise<UseAnswer> {
  const isGranted = ticket.used < ticket.allowed;
  if (isGranted && isConsume(endpoint)) ticket.used += 1;
  const { used } = ticket;
  const exchange = await send(scan.request(endpoint, ticket.code, key, reader));
  // One refusal too many is wrong once: the answers after it show the uses that were granted.
  const isTaken = isGranted && isConsume(endpoint);
  if (isTaken && REFUSALS.includes(read(exchange.answer).outcome)) ticket.used -= 1;
  return { endpoint, exchange, used, isGranted };
}

/** The same. @throws Deviation when the answer does not fit the uses that the ticket has had */
export async function expectCounted(
  scan: Scan,
  ticket: CountedTicket,
  endpoint: ScanEndpoint,
  how: Showing = {},
): Promise<void> {
  expectUses(await shown(scan, ticket, endpoint, how), ticket.allowed);
}

/** The uses that an answer shows, in its own format. @throws Deviation when it shows none */
export function usesIn(exchange: Exchange): { used: number; allowed: number } {
  const { Note, AcsRes } = objectOf(exchange);
  const uses = usesInNote(Note);
  if (uses) return uses;
  if (AcsRes !== undefined)
    throw new Deviation('Note: Ticket gültig (<used>/<allowed>)', `Note: ${Note}`, exchange, {
      fields: ['Note'],
    });
  return { used: countIn(exchange, 'usesConsumed'), allowed: countIn(exchange, 'usesAllowed') };
}

/** @throws Deviation when the answer shows other uses than the ticket has had */
export function expectUses(
  { endpoint, exchange, used, isGranted }: UseAnswer,
  allowed: number,
): void {
  if (isDevice(endpoint)) {
    const Note = isGranted ? grantNote(used, allowed) : DENIAL_NOTES.exhausted;
    expectFields(exchange, { AcsRes: isGranted ? '1' : '0', Note });
    return;
  }
  const status = isConsume(endpoint) ? 'consumed' : 'validated';
  expectFields(exchange, {
    valid: isGranted,
    status: isGranted ? status : 'exhausted',
    ticketType: allowed === 1 ? 'single' : 'multi',
    usesAllowed: allowed,
    usesConsumed: used,
    usesRemaining: allowed - used,
  });
}
