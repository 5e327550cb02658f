import { createSecretKey } from 'node:crypto';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { type Keyring, makeTicketCode } from '../../src/core/ticket-code.ts';
import { auditEntryOf, COMMAND_LINE } from '../../src/features/actor.ts';
import { Administration } from '../../src/features/keys/administration.ts';
import { MemoryStore } from '../../src/stores/memory/memory-store.ts';
import type { Random } from '../world/random.ts';
import type { Limits, WorldKey } from '../world/world.ts';
import type { VirtualTime } from './virtual-time.ts';

export interface TownTicket {
  readonly id: string;
  readonly code: string;
}

/** Keys and tickets of a simulated place. */
export interface Town {
  readonly store: MemoryStore;
  readonly administration: Administration;
  readonly keyring: Keyring;
  readonly keys: readonly (WorldKey & Limits)[];
  readonly tickets: readonly TownTicket[];
}

const PLENTY: Limits = { ratePerSecond: 1e6, burst: 1e6, quotaPerMonth: 1e9 };
const TIGHT: Limits = { ratePerSecond: 50, burst: 100, quotaPerMonth: 3000 };
const HOUR_MS = 3_600_000;

export async function buildTown(time: VirtualTime, random: Random): Promise<Town> {
  const store = new MemoryStore();
  const bytes = (size: number) => Uint8Array.from({ length: size }, () => random.between(0, 255));
  const administration = new Administration(store, time, bytes);
  const secret = createSecretKey(bytes(32));
  const keyring: Keyring = [
    {
      id: 'sig_simulated0',
      format: 'TS1',
      state: 'active',
      signingKey: secret,
      verifyingKey: secret,
    },
  ];
  const keys: Town['keys'][number][] = [];
  const tickets: TownTicket[] = [];
  for (const [name, limits] of Object.entries({ Large: PLENTY, Small: TIGHT })) {
    await administration.createOrganisation(name, { ...limits, keysMax: 10 });
    const event = await administration.createEvent(`${name} event`, name);
    for (const type of ['api', 'api', 'hardware'] as const) {
      const options = {
        name: `${name} ${keys.length}`,
        type,
        events: 'all',
        organisation: name,
      } as const;
      const { key, value } = await administration.createKey(options);
      keys.push({ id: key.id, type, value, ...limits });
    }
    const made = wishes(time).map((options) =>
      newTicket({ eventId: event.id, ...options }, time.now(), bytes),
    );
    const act = { act: 'ticket.create', subject: event.id, organisationId: event.organisationId };
    await store.insertTickets(made, auditEntryOf(COMMAND_LINE, time, act));
    tickets.push(...made.map(({ id }) => ({ id, code: makeTicketCode(id, keyring, 'TS1') })));
  }
  return { store, administration, keyring, keys, tickets };
}

function wishes(time: VirtualTime) {
  const kinds = [
    ...Array(6).fill({ kind: 'permanent' }),
    ...Array(30).fill({ kind: 'multi', uses: 100 }),
    ...Array(60).fill({ kind: 'multi', uses: 10 }),
    ...Array(200).fill({ kind: 'single' }),
    ...Array(6).fill({
      kind: 'permanent',
      validFrom: time.now() - HOUR_MS,
      validUntil: time.now() + 2 * HOUR_MS,
    }),
  ];
  return kinds as (
    | { readonly kind: 'single' }
    | { readonly kind: 'multi'; readonly uses: number }
  )[];
}
