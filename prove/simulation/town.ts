import { createSecretKey } from 'node:crypto';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { type Keyring, makeTicketCode } from '../../src/core/ticket-code.ts';
import { auditEntryOf, COMMAND_LINE } from '../../src/features/actor.ts';
import { Administration } from '../../src/features/administration.ts';
import { MemoryStore } from '../../src/stores/sqlite/memory-store.ts';
import { Random } from '../world/random.ts';
import type { Limits, WorldKey } from '../world/world.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface TownTicket {
  readonly id: string;
  readonly code: string;
}

/** Two organisations with an event each, their keys and tickets. */
export interface Town {
  readonly store: MemoryStore;
  readonly keyring: Keyring;
  readonly sites: readonly {
    readonly limits: Limits;
    readonly keys: readonly WorldKey[];
    readonly tickets: readonly TownTicket[];
  }[];
  /** What stories call a key or a ticket, by its id. */
  readonly names: ReadonlyMap<string, string>;
}

const PLENTY: Limits = { ratePerSecond: 1e6, burst: 1e6, quotaPerMonth: 1e9 };
/** Small enough that a plan reaches both, and that the story of a broken one is short. */
const TIGHT: Limits = { ratePerSecond: 50, burst: 3, quotaPerMonth: 12 };
const HALF_AN_HOUR_MS = 1_800_000;

/** The key and the ticket that a step of a plan means. */
export function meantBy(
  { sites }: Town,
  { site, key = 0, ticket = 0 }: { site: number; key?: number; ticket?: number },
): { readonly key: WorldKey; readonly ticket: TownTicket } {
  const { keys, tickets } = sites[site]!;
  return { key: keys[key]!, ticket: tickets[ticket] ?? sites[1 - site]!.tickets[0]! };
}

/** The same town each time: what differs from run to run is in the plan. */
export async function buildTown(time: VirtualTime): Promise<Town> {
  const random = new Random(1);
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => random.between(0, 255));
  const store = new MemoryStore();
  const administration = new Administration(store, time, bytes);
  const secret = createSecretKey(bytes(32));
  const signing = {
    format: 'TS1',
    state: 'active',
    signingKey: secret,
    verifyingKey: secret,
  } as const;
  const keyring: Keyring = [{ id: 'sig_simulated0', ...signing }];
  const names = new Map<string, string>();
  const sites: Town['sites'][number][] = [];
  for (const [name, limits] of Object.entries({ large: PLENTY, small: TIGHT })) {
    await administration.organisations.create(name, { ...limits, keysMax: 10 });
    const event = await administration.events.create(`${name} event`, name);
    const keys: WorldKey[] = [];
    for (const type of ['api', 'api', 'hardware'] as const) {
      const wish = { name: `${name}-${type}-${keys.length}`, type, events: 'all' } as const;
      const { key, value } = await administration.keys.create({ ...wish, organisation: name });
      keys.push({ id: key.id, type, value });
      names.set(key.id, wish.name);
    }
    const kinds = kindsOfTickets(time.now());
    const made = kinds.map(([, kind]) =>
      newTicket({ eventId: event.id, ...kind }, time.now(), bytes),
    );
    for (const [index, { id }] of made.entries())
      names.set(id, `${name}-${kinds[index]?.[0]}-${index}`);
    const act = { act: 'ticket.create', subject: event.id, organisationId: event.organisationId };
    await store.insertTickets(made, auditEntryOf(COMMAND_LINE, time, act));
    const tickets = made.map(({ id }) => ({ id, code: makeTicketCode(id, keyring, 'TS1') }));
    sites.push({ limits, keys, tickets });
  }
  return { store, keyring, sites, names };
}

/** The kinds of the tickets, as many as `TICKETS` says: few enough that many clients want the same one at once. */
function kindsOfTickets(now: number) {
  const window = { validFrom: now - HALF_AN_HOUR_MS, validUntil: now + HALF_AN_HOUR_MS };
  return [
    ...Array(6).fill(['single', { kind: 'single' }]),
    ...Array(4).fill(['card', { kind: 'multi', uses: 3 }]),
    ...Array(2).fill(['big-card', { kind: 'multi', uses: 30 }]),
    ...Array(2).fill(['permanent', { kind: 'permanent' }]),
    ...Array(2).fill(['season', { kind: 'permanent', ...window }]),
  ] as [string, { kind: 'single' } | { kind: 'multi'; uses: number }][];
}
