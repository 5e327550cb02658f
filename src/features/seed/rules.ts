import type { Clock } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import type { OrganisationLimits } from '../../core/limits.ts';
import { DEFAULT_LIMITS, isSameRate, USES_PERMANENT } from '../../core/limits.ts';
import type { EventRecord } from '../../core/records.ts';
import { type DescribedJson, describedToJson, type NewTicket } from '../../core/ticket.ts';
import { newTicket, type TicketOptions } from '../../core/ticket-changes.ts';
import { type Keyring, makeTicketCode } from '../../core/ticket-code.ts';
import { makeBatchId } from '../../core/ticket-id.ts';
import { DAY_MS, MINUTE_MS } from '../../kit/durations.ts';
import type { RandomBytes } from '../../kit/random.ts';
import type { Store } from '../../stores/store.ts';
import { FURTHER_TICKETS, TARGET_TICKETS } from '../../target-file/names.ts';
import { COMMAND_LINE } from '../actor.ts';
import type { Administration } from '../administration.ts';
import { TicketAdministration } from '../tickets/rules.ts';

/** When a window begins: within the hour, so that a wrong time zone shows; the later, the longer the target file can be used. */
const BEGINS_IN_MS = 55 * MINUTE_MS;
const ENDED_MS = 30 * MINUTE_MS;
const ORGANISATION = 'Sample leisure park';
const NEIGHBOUR = 'Sample neighbour';
/** Tickets that only a check wants: no load test needs more of them. */
const CHECK_TICKETS_MAX = 40;
const HUNDRED = 100;
/** Eight keys in all, six of them not deleted; some room for more. */
const KEYS_MAX = 20;
const MULTI_USES = 10;
const CHUNK = 20_000;

type SeededState = (typeof TARGET_TICKETS)[number];
type CheckState = (typeof FURTHER_TICKETS)[number];
type State = SeededState | CheckState;

export interface SeedDeps {
  readonly store: Store;
  readonly administration: Administration;
  readonly keyring: Keyring;
  readonly clock: Clock;
  readonly random: RandomBytes;
}

export interface SeedOptions {
  /** Tickets in each state. */
  readonly ticketsPerState: number;
  readonly limits: Omit<OrganisationLimits, 'keysMax'>;
  /** True to make what only a check needs too: a second organisation, keys without requests left, further kinds of tickets. */
  readonly forCheck?: boolean;
}

/** A ticket as a target file describes it. */
type DescribedTicket = DescribedJson & { readonly inScope?: true };

/** The content of a target file besides its address. */
export interface Seeded {
  readonly organisation: string;
  readonly events: { readonly main: string; readonly other: string };
  readonly keys: Readonly<Record<string, string>>;
  readonly tickets: Readonly<Record<SeededState, readonly string[]>> &
    Readonly<Partial<Record<CheckState, readonly string[]>>>;
  /** The same tickets with holder, window and uses. */
  readonly described: Readonly<Record<string, readonly DescribedTicket[]>>;
  /** The limits of the keys, for a target file; undefined where they are those of the specification. */
  readonly limits?: { readonly rate: number; readonly burst: number };
}

/**
 * Creates an organisation with two events, keys of every kind and tickets in every state, beside whatever is there.
 * What is used up was used through scans, so that the log tells the same story as the counters.
 * @throws TicketscanError `usage`, before anything is created, when the quota does not suffice for these scans
 */
export async function seed(deps: SeedDeps, options: SeedOptions): Promise<Seeded> {
  const { administration } = deps;
  if (options.limits.quotaPerMonth < options.ticketsPerState) throw tooSmallQuota();
  const organisation = await freeName(deps.store, ORGANISATION);
  await administration.organisations.create(organisation, { ...options.limits, keysMax: KEYS_MAX });
  const main = await administration.events.create('Summer pool', organisation);
  const other = await administration.events.create('Winter pool', organisation);
  const { keys, scannerKeyId } = await seedKeys(administration, organisation, main.id);
  const { ticketsPerState: count, forCheck = false } = options;
  const described = {} as Record<State, DescribedTicket[]>;
  for (const state of TARGET_TICKETS) {
    const event = state === 'otherEvent' ? other : main;
    const wanted = { count, state, event, scannerKeyId, withinHour: forCheck };
    described[state] = await seedTickets(deps, wanted);
  }
  const events = { main, other };
  const more = forCheck ? await seedForCheck(deps, options, events, scannerKeyId) : undefined;
  Object.assign(described, more?.described);
  const codesOf = ([state, all]: [string, DescribedTicket[]]) => [
    state,
    all.map(({ code }) => code),
  ];
  return {
    organisation,
    events: { main: main.id, other: other.id },
    keys: { ...keys, ...more?.keys },
    tickets: Object.fromEntries(Object.entries(described).map(codesOf)),
    described,
    ...limitsOf(options),
  };
}

function limitsOf({ limits: { ratePerSecond, burst } }: SeedOptions): Pick<Seeded, 'limits'> {
  const isDefault = isSameRate({ ratePerSecond, burst }, DEFAULT_LIMITS);
  return isDefault ? {} : { limits: { rate: ratePerSecond, burst } };
}

/** Makes what only a check needs. The quota is set for a whole organisation, so a second organisation has one request a month. */
async function seedForCheck(
  deps: SeedDeps,
  { limits, ticketsPerState }: SeedOptions,
  { main, other }: Readonly<Record<'main' | 'other', EventRecord>>,
  scannerKeyId: string,
): Promise<Pick<Seeded, 'keys' | 'described'>> {
  const { administration } = deps;
  const organisation = await freeName(deps.store, NEIGHBOUR);
  const { keysMax } = DEFAULT_LIMITS;
  const neighbours = { ...limits, quotaPerMonth: 1, keysMax };
  await administration.organisations.create(organisation, neighbours, { sampleNeighbour: true });
  const foreign = await administration.events.create('Neighbouring pool', organisation);
  const create = (name: string, type: 'api' | 'hardware') =>
    administration.keys.create({ name, type, events: 'all', organisation });
  const created = {
    quotaExhausted: await create('Software without requests left', 'api'),
    hardwareQuotaExhausted: await create('Gate without requests left', 'hardware'),
  };
  await useUpMonths(
    deps,
    Object.values(created).map(({ key }) => key.id),
  );
  const count = Math.min(ticketsPerState, CHECK_TICKETS_MAX);
  const described: Record<string, DescribedTicket[]> = {};
  for (const state of FURTHER_TICKETS) {
    const of = state.startsWith('otherEvent') ? other : main;
    const event = state === 'otherOrganisation' ? foreign : of;
    const wanted = { count, state, event, scannerKeyId, withinHour: false };
    described[state] = await seedTickets(deps, wanted);
  }
  const keys = Object.entries(created).map(([name, { value }]) => [name, value]);
  return { keys: Object.fromEntries(keys), described };
}

/** Whether all events and keys of a store belong to neighbours of the sample, and to organisations with the name that `seed` gives. */
export async function holdsOnlySamples(store: Store): Promise<boolean> {
  const samples = new Set(
    (await store.list('organisation'))
      .filter(
        ({ name, sampleNeighbour }) =>
          sampleNeighbour || name.replace(/ \d+$/, '') === ORGANISATION,
      )
      .map(({ id }) => id),
  );
  const owned = [...(await store.list('event')), ...(await store.list('key'))];
  return owned.every(({ organisationId }) => samples.has(organisationId));
}

/** The first of `name`, `name 2`, … that no organisation has. */
async function freeName(store: Store, name: string): Promise<string> {
  const taken = new Set((await store.list('organisation')).map((one) => one.name));
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name} ${number}`;
    if (!taken.has(free)) return free;
  }
}

type SeededKey = readonly [
  name: string,
  type: 'api' | 'hardware',
  of: 'all' | 'main',
  end?: 'disabled' | 'deleted',
];

const KEYS: Readonly<Record<string, SeededKey>> = {
  rest: ['Box office', 'api', 'all'],
  restScoped: ['Box office, Summer pool', 'api', 'main'],
  hardware: ['Gates', 'hardware', 'all'],
  hardwareScoped: ['Gates, Summer pool', 'hardware', 'main'],
  disabled: ['Old software (disabled)', 'api', 'all', 'disabled'],
  hardwareDisabled: ['Old gate (disabled)', 'hardware', 'all', 'disabled'],
  deleted: ['Lost software (deleted)', 'api', 'all', 'deleted'],
  hardwareDeleted: ['Lost gate (deleted)', 'hardware', 'all', 'deleted'],
};

/** @returns the values of the keys by their names in a target file, and the id of the one that scans here */
async function seedKeys(administration: Administration, organisation: string, eventId: string) {
  const keys: Record<string, string> = {};
  let scannerKeyId = '';
  for (const [target, [name, type, of, end]] of Object.entries(KEYS)) {
    const events = of === 'all' ? of : [eventId];
    const { key, value } = await administration.keys.create({ name, type, events, organisation });
    keys[target] = value;
    if (target === 'rest') scannerKeyId = key.id;
    if (end === 'disabled') await administration.keys.edit(key.id, { active: false });
    if (end === 'deleted') await administration.keys.delete(key.id);
  }
  return { keys, scannerKeyId };
}

interface Wanted {
  readonly count: number;
  readonly state: State;
  readonly event: EventRecord;
  /** The key that uses up what is to be used up. */
  readonly scannerKeyId: string;
  /** Whether every second one of those with a window in the past or to come ended or begins within the hour. */
  readonly withinHour: boolean;
}

async function seedTickets(deps: SeedDeps, wanted: Wanted): Promise<DescribedTicket[]> {
  const { store, clock, random, keyring } = deps;
  const { count, state, event, scannerKeyId } = wanted;
  const administration = new TicketAdministration(store, clock, random, COMMAND_LINE);
  const batch = makeBatchId(random);
  const made: NewTicket[] = [];
  for (let from = 0; from < count; from += CHUNK) {
    const tickets = Array.from({ length: Math.min(CHUNK, count - from) }, (_, index) => ({
      ...newTicket(optionsFor(wanted, from + index, clock.now()), clock.now(), random),
      batch,
    }));
    made.push(...tickets);
    if (state === 'unknown') continue;
    const history = {
      usesConsumed: USES_PERMANENT,
      lastConsumedAt: clock.now(),
      cancelledAt: null,
    };
    const isEnded = state === 'permanentEnded';
    const incoming = isEnded ? tickets.map((ticket) => ({ ...ticket, ...history })) : tickets;
    await administration.add(event, incoming, { state });
    if (state === 'exhausted') await useUp(deps, tickets, scannerKeyId);
    if (state === 'cancelled' || state === 'otherEventCancelled') {
      const ids = tickets.map(({ id }) => id);
      await administration.cancel(ids, event.id);
    }
  }
  return made.map((ticket) => ({
    ...describedToJson({ ...ticket, code: makeTicketCode(ticket.id, keyring, 'TS1') }),
    ...(state === 'unknown' ? { inScope: true as const } : {}),
  }));
}

const HOLDERS = [
  ['Ada', 'Lovelace'],
  ['Zoë', 'Müller-Lüdenscheidt'],
  ['Νίκος', 'Παπαδόπουλος'],
  ['Şule', 'Yılmaz'],
  ['ليلى', 'حداد'],
] as const;

function optionsFor(
  { state, event, withinHour }: Wanted,
  index: number,
  now: number,
): TicketOptions {
  const eventId = event.id;
  // each case of a check that shows two of them shows one
  const isClose = withinHour && index % 2 === 1;
  const single = { eventId, kind: 'single' } as const;
  const [firstName, lastName] = HOLDERS[index % HOLDERS.length] ?? [];
  switch (state) {
    case 'multi':
      return { eventId, kind: 'multi', uses: MULTI_USES };
    case 'hundred':
      return { eventId, kind: 'multi', uses: HUNDRED };
    case 'permanent':
    case 'permanentEnded':
      return { eventId, kind: 'permanent' };
    case 'personalised':
      return { ...single, firstName, lastName };
    case 'windowed':
      return { ...single, validFrom: now - DAY_MS, validUntil: now + 365 * DAY_MS };
    case 'openEnd':
      return { ...single, validFrom: now - DAY_MS };
    case 'openStart':
      return { ...single, validUntil: now + 365 * DAY_MS };
    case 'notYetValid': {
      const validFrom = now + (isClose ? BEGINS_IN_MS : 365 * DAY_MS);
      return { ...single, validFrom, validUntil: validFrom + DAY_MS };
    }
    case 'expired':
    case 'otherEventExpired': {
      const validUntil = now - (isClose ? ENDED_MS : DAY_MS);
      return { ...single, validFrom: validUntil - DAY_MS, validUntil };
    }
    default:
      return single;
  }
}

async function useUp(
  { store, clock }: SeedDeps,
  tickets: readonly NewTicket[],
  keyId: string,
): Promise<void> {
  const request = { ...OF_NOBODY, keyId, operation: 'consume', now: clock.now() } as const;
  const subjects = tickets.map(
    ({ id, eventId }) => ({ kind: 'ticket', ticketId: id, eventId }) as const,
  );
  await store.commitScans(subjects.map((subject) => ({ ...request, subject })));
}

function tooSmallQuota(): TicketscanError {
  return new TicketscanError(
    'usage',
    'The quota is too small to use up that many sample tickets; raise --quota. Nothing was created.',
  );
}

const OF_NOBODY = { kind: 'scan', serial: null, reader: null, retry: null } as const;

/** Sends the one request a month that these keys have: one that counts, and that no log shows. */
async function useUpMonths({ store, clock }: SeedDeps, keyIds: readonly string[]): Promise<void> {
  const subject = { kind: 'bad_retry_name' } as const;
  const request = { ...OF_NOBODY, operation: 'validate', subject, now: clock.now() } as const;
  await store.commitScans(keyIds.map((keyId) => ({ ...request, keyId })));
}
