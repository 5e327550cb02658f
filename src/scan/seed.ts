import type { Clock } from '../core/clock.ts';
import { TicketscanError } from '../core/errors.ts';
import type { Keyring } from '../core/keyring.ts';
import type { OrganisationLimits } from '../core/limits.ts';
import { newTicket, type TicketWish } from '../core/new-ticket.ts';
import type { RandomBytes } from '../core/random.ts';
import type { EventRecord } from '../core/records.ts';
import type { ScanRequest } from '../core/scan-batch.ts';
import type { NewTicket } from '../core/ticket.ts';
import { makeTicketCode } from '../core/ticket-code.ts';
import type { Store } from '../stores/store.ts';
import { actOf, COMMAND_LINE } from './actor.ts';
import type { Administration } from './administration.ts';
import { TicketAdministration } from './ticket-administration.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const ORGANISATION = 'Sample leisure park';
/** Eight keys in all, six of them not deleted; some room for more. */
const KEYS_MAX = 20;
const MULTI_USES = 10;
const CHUNK = 20_000;

/** The states that a target file names, in the order in which they are shown. */
const SEEDED_STATES = [
  'single',
  'multi',
  'permanent',
  'personalised',
  'windowed',
  'exhausted',
  'cancelled',
  'notYetValid',
  'expired',
  'otherEvent',
  'unknown',
] as const;
type SeededState = (typeof SEEDED_STATES)[number];

export interface SeedDeps {
  readonly store: Store;
  readonly administration: Administration;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export interface SeedWish {
  /** Tickets in each state. */
  readonly ticketsPerState: number;
  readonly limits: Omit<OrganisationLimits, 'keysMax'>;
}

/** What a deployment's target file holds besides its address. */
export interface Seeded {
  readonly organisation: string;
  readonly events: { readonly main: string; readonly other: string };
  readonly keys: Readonly<Record<string, string>>;
  readonly tickets: Readonly<Record<SeededState, readonly string[]>>;
}

/**
 * Creates an organisation with two events, keys of every kind and tickets in every state, beside whatever is there.
 * What is used up was used through scans, so that the log tells the same story as the counters.
 */
export async function seed(deps: SeedDeps, wish: SeedWish): Promise<Seeded> {
  const { administration } = deps;
  const organisation = await freeName(deps.store);
  await administration.createOrganisation(organisation, { ...wish.limits, keysMax: KEYS_MAX });
  const main = await administration.createEvent('Summer pool', organisation);
  const other = await administration.createEvent('Winter pool', organisation);
  const { keys, scannerKeyId } = await seedKeys(administration, organisation, main.id);
  const tickets = {} as Record<SeededState, string[]>;
  for (const state of SEEDED_STATES) {
    const event = state === 'otherEvent' ? other : main;
    const made = await seedTickets(deps, wish.ticketsPerState, state, event, scannerKeyId);
    tickets[state] = made.map(({ id }) => makeTicketCode(id, deps.keyring, 'TS1'));
  }
  return { organisation, events: { main: main.id, other: other.id }, keys, tickets };
}

async function freeName(store: Store): Promise<string> {
  const taken = new Set((await store.listOrganisations()).map(({ name }) => name));
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? ORGANISATION : `${ORGANISATION} ${number}`;
    if (!taken.has(name)) return name;
  }
}

interface SeededKeys {
  readonly keys: Record<string, string>;
  readonly scannerKeyId: string;
}

async function seedKeys(
  administration: Administration,
  organisation: string,
  eventId: string,
): Promise<SeededKeys> {
  const create = async (name: string, type: 'api' | 'hardware', events: 'all' | string[]) => {
    return administration.createKey({ name, type, events, organisation });
  };
  const rest = await create('Box office', 'api', 'all');
  const restScoped = await create('Box office, Summer pool', 'api', [eventId]);
  const hardware = await create('Gates', 'hardware', 'all');
  const hardwareScoped = await create('Gates, Summer pool', 'hardware', [eventId]);
  const disabled = await create('Old software (disabled)', 'api', 'all');
  const hardwareDisabled = await create('Old gate (disabled)', 'hardware', 'all');
  const deleted = await create('Lost software (deleted)', 'api', 'all');
  const hardwareDeleted = await create('Lost gate (deleted)', 'hardware', 'all');
  for (const { key } of [disabled, hardwareDisabled])
    await administration.editKey(key.id, { active: false });
  for (const { key } of [deleted, hardwareDeleted]) await administration.deleteKey(key.id);
  const created = {
    rest,
    restScoped,
    hardware,
    hardwareScoped,
    disabled,
    hardwareDisabled,
    deleted,
    hardwareDeleted,
  };
  const values = Object.entries(created).map(([name, { value }]) => [name, value]);
  return { keys: Object.fromEntries(values) as Record<string, string>, scannerKeyId: rest.key.id };
}

async function seedTickets(
  deps: SeedDeps,
  count: number,
  state: SeededState,
  { id: eventId, organisationId }: EventRecord,
  scannerKeyId: string,
): Promise<NewTicket[]> {
  const { store, clock, random } = deps;
  const administration = new TicketAdministration(store, clock, random, COMMAND_LINE);
  const made: NewTicket[] = [];
  for (let from = 0; from < count; from += CHUNK) {
    const tickets = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) =>
      newTicket(wishFor(state, eventId, from + index, clock.now()), clock.now(), random),
    );
    made.push(...tickets);
    if (state === 'unknown') continue;
    const details = { count: tickets.length, state };
    const act = { act: 'ticket.create', subject: eventId, organisationId, details };
    await store.insertTickets(tickets, actOf(COMMAND_LINE, clock, act));
    if (state === 'exhausted') await useUp(deps, tickets, scannerKeyId);
    if (state === 'cancelled')
      for (const { id } of tickets) await administration.cancel(organisationId, id);
  }
  return made;
}

const HOLDERS = [
  ['Ada', 'Lovelace'],
  ['Zoë', 'Müller-Lüdenscheidt'],
  ['Νίκος', 'Παπαδόπουλος'],
  ['Şule', 'Yılmaz'],
  ['ليلى', 'حداد'],
] as const;

function wishFor(state: SeededState, eventId: string, index: number, now: number): TicketWish {
  const single = { eventId, kind: 'single' } as const;
  const [firstName, lastName] = HOLDERS[index % HOLDERS.length] ?? [];
  switch (state) {
    case 'multi':
      return { eventId, kind: 'multi', uses: MULTI_USES };
    case 'permanent':
      return { eventId, kind: 'permanent' };
    case 'personalised':
      return { ...single, firstName, lastName };
    case 'windowed':
      return { ...single, validFrom: now - DAY_MS, validUntil: now + 365 * DAY_MS };
    case 'notYetValid':
      return { ...single, validFrom: now + 365 * DAY_MS, validUntil: now + 366 * DAY_MS };
    case 'expired':
      return { ...single, validFrom: now - 2 * DAY_MS, validUntil: now - DAY_MS };
    default:
      return single;
  }
}

async function useUp(
  { store, clock }: SeedDeps,
  tickets: readonly NewTicket[],
  keyId: string,
): Promise<void> {
  const requests = tickets.map(({ id, eventId }): ScanRequest => {
    const subject = { kind: 'ticket', ticketId: id, eventId } as const;
    return {
      keyId,
      action: 'consume',
      subject,
      now: clock.now(),
      serial: null,
      reader: null,
      retry: null,
    };
  });
  const { outcomes } = await store.commitScans(requests);
  for (const outcome of outcomes) {
    if (outcome.kind !== 'decided' || outcome.decision.status !== 'consumed') {
      throw new TicketscanError(
        'usage',
        'The quota is too small to use up that many sample tickets; raise --quota.',
      );
    }
  }
}
