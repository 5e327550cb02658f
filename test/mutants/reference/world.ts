import { createHmac, randomBytes } from 'node:crypto';
import type { ChangeOrder, KeyHooks } from '../../../src/check/index.ts';
import { type Clock, REAL_CLOCK } from '../../../src/check/time/clock.ts';

/** What the reference server knows: plain objects in memory, nothing shared with the service. */
export interface Ticket {
  readonly id: string;
  readonly event: string;
  type: 'single' | 'multi';
  usesAllowed: number;
  usesConsumed: number;
  holder?: { firstName: string; lastName: string };
  validFrom: string | null;
  validUntil: string | null;
  cancelled: boolean;
  lastScan?: string;
}

const HOUR_DAYS = 1 / 24;

export interface Key {
  readonly value: string;
  readonly type: 'rest' | 'hardware';
  events: 'all' | readonly string[];
  active: boolean;
  name?: string;
  /** Its scope was changed once. */
  isEdited?: boolean;
  /** Its requests of this month are used up. */
  readonly isSpent?: boolean;
  tokens: number;
  filledAt: number;
}

export interface World {
  readonly clock: Clock;
  readonly secret: Buffer;
  readonly tickets: Map<string, Ticket>;
  readonly keys: Map<string, Key>;
  readonly deletedKeys: Set<string>;
}

const DAY_MS = 86_400_000;

function codeOf(world: World, id: string): string {
  return `REF.${id}.${signatureOf(world, `REF.${id}`)}`;
}

/** Puts a ticket into the world, a single one where the fields say nothing else. */
export function addTicket(world: World, id: string, event: string, fields: Partial<Ticket>) {
  const window = { validFrom: null, validUntil: null };
  const uses = { type: 'single', usesAllowed: 1, usesConsumed: 0 } as const;
  const ticket: Ticket = { id, event, ...uses, ...window, cancelled: false, ...fields };
  world.tickets.set(id, ticket);
  return { code: codeOf(world, id), ticketId: id, usesAllowed: ticket.usesAllowed };
}

/** A world with keys and tickets in every state, and the target that describes it to the checker. */
export function makeWorld(
  ticketForm: (id: string) => string = (id) => `tkt_${id}`,
  clock: Clock = REAL_CLOCK,
) {
  const world: World = {
    clock,
    secret: randomBytes(32),
    tickets: new Map(),
    keys: new Map(),
    deletedKeys: new Set(),
  };
  const text = (bytes = 12) => randomBytes(bytes).toString('base64url');
  const code = (id: string) => codeOf(world, id);
  const add = (fields: Partial<Ticket> = {}, event = 'main') => {
    const id = ticketForm(`${event}${text().replace(/[^A-Za-z0-9]/g, 'x')}`);
    return addTicket(world, id, event, fields);
  };
  const many = <T>(count: number, make: (index: number) => T) =>
    Array.from({ length: count }, (_, index) => make(index));
  const key = (
    type: Key['type'],
    events: Key['events'] = 'all',
    { active = true, isSpent = false } = {},
  ) => {
    const value = `Ref-${type}-${text(18)}`;
    world.keys.set(value, {
      value,
      type,
      events,
      active,
      isSpent,
      tokens: 100,
      filledAt: clock.now(),
    });
    return value;
  };
  const gone = (type: string) => {
    const value = `Ref-${type}-${text(18)}`;
    world.deletedKeys.add(value);
    return value;
  };
  const at = (days: number) => new Date(clock.wallNow() + days * DAY_MS).toISOString();
  const begins = (days: number) => {
    const validFrom = at(days);
    return { ...add({ validFrom }), validFrom };
  };
  const ended = (days: number) => {
    const validUntil = at(-days);
    return { ...add({ validUntil }), validUntil };
  };
  const alternating = <T>(even: () => T, odd: () => T) =>
    Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? even() : odd()));
  const holder = { firstName: 'Zoë', lastName: 'Grünwäldli-Ðorđević' };
  const guest = { firstName: 'Ana & Max', lastName: 'Ñuñez <VIP>' };
  const lastGuest = { firstName: 'Ян', lastName: 'Иванов' };
  const window = { validFrom: at(-1), validUntil: at(1) };
  /** The last ones of a list are cards. */
  const cardFrom = (first: number, index: number): Partial<Ticket> =>
    index < first ? {} : { type: 'multi', usesAllowed: 4 };
  const unknown = () => code(ticketForm(`main${text().replace(/[^A-Za-z0-9]/g, 'x')}`));
  const target = {
    keys: {
      rest: key('rest'),
      restScoped: key('rest', ['main']),
      hardware: key('hardware'),
      hardwareScoped: key('hardware', ['main']),
      disabled: key('rest', 'all', { active: false }),
      hardwareDisabled: key('hardware', 'all', { active: false }),
      deleted: gone('rest'),
      hardwareDeleted: gone('hardware'),
      quotaExhausted: key('rest', 'all', { isSpent: true }),
      hardwareQuotaExhausted: key('hardware', 'all', { isSpent: true }),
      spare: key('rest'),
      hardwareSpare: key('hardware'),
    },
    changes: { name: 'Spare', hardwareName: 'Spare gate', events: ['main'] },
    tickets: {
      single: many(40, () => add()),
      // Cards of one size but for one, as most lists of a shop are.
      multi: many(24, (index) => add({ type: 'multi', usesAllowed: index === 2 ? 12 : 5 })),
      permanent: many(10, () => add({ type: 'multi', usesAllowed: 9999 })),
      personalised: [
        ...many(4, (index) => ({ ...add({ holder, ...cardFrom(2, index) }), holder })),
        ...many(4, () => ({ ...add({ holder: guest }), holder: guest })),
        { ...add({ holder: lastGuest }), holder: lastGuest },
      ],
      windowed: many(6, (index) => ({ ...add({ ...window, ...cardFrom(4, index) }), ...window })),
      exhausted: many(6, () => add({ usesConsumed: 1 })),
      cancelled: [
        ...many(4, () => add({ cancelled: true })),
        { ...add({ cancelled: true, holder }), holder },
      ],
      notYetValid: alternating(
        () => begins(2),
        () => begins(HOUR_DAYS * 0.8),
      ),
      expired: alternating(
        () => ended(2),
        () => ended(HOUR_DAYS / 2),
      ),
      otherEvent: many(14, () => add({}, 'other')),
      unknown: many(6, () => ({ code: unknown(), inScope: true })),
      otherOrganisation: many(2, () => add({}, 'foreign')),
      permanentEnded: many(1, () => add({ type: 'multi', usesAllowed: 9999, usesConsumed: 9999 })),
      openEnd: many(6, () => add({ validFrom: at(-1) })),
      openStart: many(6, () => add({ validUntil: at(1) })),
      hundred: many(6, () => add({ type: 'multi', usesAllowed: 100 })),
      otherEventCancelled: many(1, () => add({ cancelled: true }, 'other')),
      otherEventExpired: many(1, () => add({ validUntil: at(-2) }, 'other')),
    },
  };
  return { world, target };
}

/** By secret and text: the same codes are shown to hundreds of servers. */
const signatures = new WeakMap<Buffer, Map<string, string>>();

export function signatureOf({ secret }: World, signed: string): string {
  const made = signatures.get(secret) ?? new Map<string, string>();
  signatures.set(secret, made);
  const signature =
    made.get(signed) ??
    createHmac('sha256', secret).update(signed).digest('base64url').slice(0, 22);
  made.set(signed, signature);
  return signature;
}

/** The dashboard of the reference server: what is done to its keys holds for the next request. */
export function hooksOf(world: World): Required<KeyHooks> {
  const change = (alter: (key: Key, order: ChangeOrder) => void) => async (order: ChangeOrder) => {
    const key = world.keys.get(order.key);
    if (!key) throw new Error('there is no such key');
    alter(key, order);
  };
  return {
    'disable-key': change((key) => {
      key.active = false;
    }),
    'enable-key': change((key) => {
      key.active = true;
    }),
    'rename-key': change((key, { name }) => {
      key.name = name ?? '';
    }),
    'scope-key': change((key, { events }) => {
      key.events = events ?? 'all';
      key.isEdited = true;
    }),
    'delete-key': change(({ value }) => {
      world.keys.delete(value);
      world.deletedKeys.add(value);
    }),
  };
}
