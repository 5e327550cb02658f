import { setTimeout as sleep } from 'node:timers/promises';
import type { Action, Outcome, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';
import type { Key, Ticket } from '../reference/world.ts';
import {
  byChance,
  CONSUME,
  EXHAUSTED,
  type Fault,
  type FaultyServer,
  faults,
  isCard,
  isHundred,
  isPermanent,
  isPersonal,
  isWindowed,
  overlooking,
  refusing,
  remembering,
  rest,
  SCANS,
  showing,
  step,
  together,
  uncounted,
  VALIDATE,
} from './faulty-server.ts';

/** Wide enough to be hit by a client that shares its thread with this server. */
const WINDOW_MS = 25;
const LATER_MS = 4000;

/** Does something to a ticket that is good, when it is validated. */
const onValidate = (
  isHere: (ticket: Ticket, side: Side) => boolean,
  act: (ticket: Ticket) => void,
): Alteration =>
  step('refuse', ({ next }, ticket, action, side) => {
    const refused = next();
    if (!refused && action === 'validate' && isHere(ticket, side)) act(ticket);
    return refused;
  });

const take = (ticket: Ticket) => {
  ticket.usesConsumed += 1;
};
const isLeft = (ticket: Ticket, left: number) =>
  ticket.usesAllowed > 1 && ticket.usesAllowed - ticket.usesConsumed === left;

const overlookingLast = (isHere: (ticket: Ticket) => boolean) =>
  overlooking(
    'exhausted',
    (ticket) => ticket.usesConsumed === ticket.usesAllowed && isHere(ticket),
  );

/** Tells another ticket than the one that was scanned. */
function telling(
  told: (ticket: Ticket, outcome: Outcome, action: Action, side: Side) => Ticket,
): Alteration {
  const change = (outcome: Outcome, action: Action, side: Side): Outcome =>
    outcome.ticket
      ? { ...outcome, ticket: told({ ...outcome.ticket }, outcome, action, side) }
      : outcome;
  return (parts) => ({
    restBody: (outcome, action) => parts.restBody(change(outcome, action, 'rest'), action),
    deviceBody: (outcome, action) => parts.deviceBody(change(outcome, action, 'hardware'), action),
  });
}

const withUses = (ticket: Ticket, usesConsumed: number): Ticket => ({
  ...ticket,
  usesConsumed: Math.max(0, Math.min(ticket.usesAllowed, usesConsumed)),
});

/** Tells other uses of a kind of ticket when it is consumed. */
const tellingUses = (isKind: (ticket: Ticket) => boolean, more: number) =>
  telling((ticket, { status }) =>
    status === 'consumed' && isKind(ticket) ? withUses(ticket, ticket.usesConsumed + more) : ticket,
  );

const oldOnValidate = (isKind: (ticket: Ticket) => boolean): Alteration => {
  const old = (ticket: Ticket, action: Action) =>
    action === 'validate' && isKind(ticket) && ticket.lastScan !== undefined
      ? withUses(ticket, ticket.usesConsumed - 1)
      : ticket;
  return together(
    step('refuse', ({ parts }, ticket, action, ...asked) =>
      parts.refuse(old(ticket, action), action, ...asked),
    ),
    telling((ticket, _, action) => old(ticket, action)),
  );
};

const KINDS = { 5: isCard, 100: isHundred, holder: isPersonal, window: isWindowed };

/** Counts that are wrong for one kind of ticket. */
const OF_KINDS = Object.entries(KINDS).flatMap(([kind, isKind]) =>
  faults('3.2', {
    [`tells the use of a ticket (${kind}) and does not store it`]: together(
      tellingUses(isKind, 1),
      uncounted(isKind),
    ),
    [`tells the count of before the use (${kind})`]: tellingUses(isKind, -1),
    [`validates with the count of before the last use (${kind})`]: showing(
      VALIDATE,
      oldOnValidate(isKind),
    ),
  }),
);

const OF_CARDS = [
  { uses: 5, isKind: isCard },
  { uses: 100, isKind: isHundred },
].flatMap(({ uses, isKind }) =>
  faults('3.2', {
    [`stores two uses for one that it tells (${uses})`]: together(
      tellingUses(isKind, -1),
      step('register', (_, ticket) => {
        const more = isKind(ticket) ? 2 : 1;
        ticket.usesConsumed = Math.min(ticket.usesAllowed, ticket.usesConsumed + more);
      }),
    ),
    [`tells one use more than were made (${uses})`]: tellingUses(isKind, 1),
  }),
);

/** Keeps a counter of its own for some scans, beside the one of the ticket or in its place. */
const counterApart = (
  nameOf: (side: Side, key: Key, ticket: Ticket) => string | undefined,
  isBeside: boolean,
): Alteration =>
  remembering(() => {
    const used = new Map<string, number>();
    return together(
      step('refuse', ({ next, parts }, ticket, action, side, key) => {
        const name = nameOf(side, key, ticket);
        if (name === undefined) return next();
        const before = ticket.lastScan ? 0 : ticket.usesConsumed;
        const usesConsumed = used.get(`${ticket.id} ${name}`) ?? before;
        return parts.refuse({ ...ticket, usesConsumed }, action, side, key);
      }),
      step('register', ({ next }, ticket, side, key) => {
        const name = nameOf(side, key, ticket);
        const id = `${ticket.id} ${name}`;
        if (name !== undefined) used.set(id, (used.get(id) ?? 0) + 1);
        return name === undefined || isBeside ? next() : undefined;
      }),
    );
  });

/** Writes back the number that was read before. */
const lostUpdate = (isKind: (ticket: Ticket) => boolean): Fault =>
  byChance(
    CONSUME,
    step('register', async ({ next }, ticket) => {
      if (!isKind(ticket)) return next();
      const read = ticket.usesConsumed;
      await sleep(WINDOW_MS);
      ticket.usesConsumed = read + 1;
    }),
  );

/** Lets time pass between the check and the use of some tickets. */
const slowToTake = (isKind: (ticket: Ticket) => boolean): Fault =>
  byChance(
    CONSUME,
    step('register', async ({ next }, ticket) => {
      if (isKind(ticket)) await sleep(WINDOW_MS);
      await next();
    }),
  );

/** Refuses or fails while another request is at it. */
const busyWith = (
  nameOf: (ticket: Ticket) => string | undefined,
  refuse: (ticket: Ticket) => Outcome,
  isCountedFirst = false,
): Fault =>
  byChance(
    CONSUME,
    remembering(() => {
      const busy = new Set<string>();
      return together(
        step('refuse', ({ next }, ticket, action) => {
          const isBusy = action === 'consume' && busy.has(nameOf(ticket) ?? '');
          return isBusy && isCountedFirst
            ? refuse(ticket)
            : (next() ?? (isBusy ? refuse(ticket) : undefined));
        }),
        step('register', async ({ next }, ticket) => {
          const name = nameOf(ticket);
          if (name === undefined) return next();
          busy.add(name);
          if (isCountedFirst) await next();
          await sleep(WINDOW_MS);
          if (!isCountedFirst) await next();
          busy.delete(name);
        }),
      );
    }),
  );

const exhausted = (ticket: Ticket): Outcome => ({ ...EXHAUSTED, ticket });

/** Sends the grant of before again, without a use, as long as it is so new. */
const grantAgain = (isKind: (ticket: Ticket) => boolean, keptMs: number): Alteration =>
  remembering(() => {
    const kept = new Map<string, { readonly body: Record<string, unknown>; readonly at: number }>();
    return together(
      step('refuse', ({ next, world }, ticket, action, side) => {
        const at = kept.get(ticket.id)?.at ?? Number.NEGATIVE_INFINITY;
        const isNew = world.clock.now() - at < keptMs;
        const isHere = side === 'rest' && action === 'consume' && isKind(ticket);
        return isHere && isNew ? { status: 'repeated', ticket } : next();
      }),
      step('restBody', ({ next, world }, { status, ticket }) => {
        const before = kept.get(ticket?.id ?? '');
        if (status === 'repeated' && before) return before.body;
        const body = next();
        if (status === 'consumed' && ticket) kept.set(ticket.id, { body, at: world.clock.now() });
        return body;
      }),
    );
  });

const RACES = faults('3.2', {
  'has a moment between the check and the use': slowToTake(() => true),
  'has a moment between the check and the use of personalised tickets': slowToTake(isPersonal),
  'has a moment between the check and the use of tickets with a window': slowToTake(isWindowed),
  'has a moment between the check and the use of tickets without an end': slowToTake(
    ({ validFrom, validUntil }) => Boolean(validFrom && !validUntil),
  ),
  'has a moment between the check and the use of tickets without a beginning': slowToTake(
    ({ validFrom, validUntil }) => Boolean(!validFrom && validUntil),
  ),
  'has a moment between the check and the use of tickets of one event': slowToTake(
    ({ event }) => event !== 'main',
  ),
  'has a moment between the check and the last uses of cards for a hundred': slowToTake(
    (ticket) => isHundred(ticket) && ticket.usesConsumed >= 95,
  ),
  'sends the grant of a single ticket again for a moment': {
    ...byChance(
      ['consume'],
      grantAgain(({ usesAllowed }) => usesAllowed === 1, 150),
    ),
    says: /same bytes, scannedAt included/,
    isByTheClock: true,
  },
  'locks on REST, but not at devices': byChance(
    ['hw/consume'],
    step('register', async ({ next }, _, side) => {
      if (side === 'hardware') await sleep(WINDOW_MS);
      await next();
    }),
  ),
  'writes back the number it read before': lostUpdate(() => true),
  'writes back the number it read before, of cards for a hundred uses': lostUpdate(isHundred),
  'writes back the number it read before, of permanent cards only': lostUpdate(isPermanent),
  'refuses a permanent card while it is being consumed at another gate': busyWith(
    (ticket) => (isPermanent(ticket) ? ticket.id : undefined),
    exhausted,
  ),
  'refuses a ticket while another one is being consumed': busyWith(() => 'any', exhausted),
  'answers 500 to whoever loses a race': busyWith(
    ({ id }) => id,
    () => {
      throw new Error('could not serialise');
    },
    true,
  ),
  'gives the answer of another ticket when several are consumed at once': byChance(
    ['consume'],
    remembering(() => {
      let shared: Ticket | undefined;
      let running = 0;
      return together(
        step('register', async ({ next }, ticket) => {
          running += 1;
          await next();
          await sleep(WINDOW_MS);
          shared = running > 1 ? (shared ?? { ...ticket }) : undefined;
          running -= 1;
        }),
        step('restBody', ({ next, parts }, outcome, action) =>
          outcome.status === 'consumed' && shared
            ? parts.restBody({ ...outcome, ticket: shared }, action)
            : next(),
        ),
      );
    }),
  ),
  'locks a ticket for sixteen who wait, and not for more': {
    ...byChance(
      CONSUME,
      remembering(() => {
        const came = new Map<string, number[]>();
        return step('refuse', ({ next, world }, ticket, action) => {
          const now = world.clock.now();
          const others = (came.get(ticket.id) ?? []).filter((time) => now - time < 100);
          came.set(ticket.id, [...others, now]);
          const refused = next();
          const isCrowd = action === 'consume' && others.length >= 16;
          return isCrowd && refused?.status === 'exhausted' ? undefined : refused;
        });
      }),
    ),
    isByTheClock: true,
  },
});

const AFTER_A_WHILE = faults('3.2', {
  'gives a use back four seconds after it': {
    ...showing(
      CONSUME,
      step('register', ({ next, world }, ticket) => {
        void next();
        void world.clock.sleep(LATER_MS).then(() => {
          ticket.usesConsumed -= 1;
        });
      }),
    ),
    isByTheClock: true,
  },
  'lets a cancelled ticket in four seconds after it was refused': {
    ...showing(
      SCANS,
      remembering(() => {
        const since = new Map<string, number>();
        return step('refuse', ({ next, world }, ticket) => {
          const refused = next();
          if (refused?.reason !== 'ticket_cancelled') return refused;
          const now = world.clock.now();
          const first = since.get(ticket.id) ?? now;
          since.set(ticket.id, first);
          return now - first > LATER_MS ? undefined : refused;
        });
      }),
    ),
    isByTheClock: true,
  },
});

const COUNTERS = faults('3.2', {
  'registers a use on validate': onValidate((_, side) => side === 'rest', take),
  'registers a use when a ticket with a window is validated': onValidate(
    (ticket, side) => side === 'rest' && isWindowed(ticket),
    take,
  ),
  'registers a use when a device validates': {
    alter: onValidate((_, side) => side === 'hardware', take),
    says: /hw\/validate: each look that finds this kind of ticket good takes a use/,
  },
  'registers a use when a ticket with a holder is validated, and shows it': {
    alter: onValidate((ticket) => ticket.holder !== undefined, take),
    says: /each look that finds this kind of ticket good takes a use/,
    shows: SCANS,
  },
  'registers a use when a card with one use left is validated': showing(
    CONSUME,
    onValidate((ticket, side) => side === 'rest' && isLeft(ticket, 1), take),
  ),
  'registers a use when a device validates a card with two uses left': showing(
    ['hw/consume'],
    onValidate((ticket, side) => side === 'hardware' && isLeft(ticket, 2), take),
  ),
  'says consumed and stores nothing': uncounted(() => true),
  'counts every use twice': step('register', (_, ticket) => {
    ticket.usesConsumed = Math.min(ticket.usesAllowed, ticket.usesConsumed + 2);
  }),
  'compares the limit with > instead of >=': overlookingLast(() => true),
  'gives one use too many on cards': overlookingLast(({ usesAllowed }) => usesAllowed > 1),
  'gives one use too many on cards with a window': showing(
    SCANS,
    overlookingLast((ticket) => ticket.usesAllowed > 1 && isWindowed(ticket)),
  ),
  'refuses the last use of a card': refusing((ticket) => isLeft(ticket, 1), EXHAUSTED),
  'does not count the uses of permanent cards': uncounted(isPermanent),
  'stores that a card was used, not how often': step('register', (_, ticket) => {
    ticket.usesConsumed = 1;
  }),
  'opens doors without counting': uncounted((_, side) => side === 'hardware'),
  'takes the same card at the same reader for one scan, for a minute': remembering(() => {
    const answers = new Map<string, Record<string, unknown>>();
    return together(
      step('refuse', ({ next }, ticket, action, side) =>
        side === 'hardware' && action === 'consume' && answers.has(ticket.id)
          ? { status: 'repeated', ticket }
          : next(),
      ),
      step('deviceBody', ({ next }, { status, ticket }) => {
        const kept = answers.get(ticket?.id ?? '');
        if (status === 'repeated' && kept) return kept;
        const body = next();
        if (status === 'consumed' && ticket) answers.set(ticket.id, body);
        return body;
      }),
    );
  }),
  'keeps a counter of its own for devices': counterApart(
    (side) => (side === 'hardware' ? side : undefined),
    false,
  ),
  'counts uses by key': counterApart((_, { events }) => (events === 'all' ? 'all' : 'some'), true),
  'counts the uses of devices and of software apart, and shows them so': {
    alter: remembering(() => {
      const used = new Map<string, number>();
      const own = ({ id, usesConsumed }: Ticket, side: Side) =>
        used.get(`${id} ${side}`) ?? usesConsumed;
      return together(
        step('refuse', ({ parts }, ticket, action, side, key) =>
          parts.refuse({ ...ticket, usesConsumed: own(ticket, side) }, action, side, key),
        ),
        step('register', (_, ticket, side) => {
          used.set(`${ticket.id} ${side}`, own(ticket, side) + 1);
        }),
        telling((ticket, _outcome, _action, side) => ({
          ...ticket,
          usesConsumed: own(ticket, side),
        })),
      );
    }),
    says: /Devices and software count apart/,
  },
  'counts the cards that devices let in apart': {
    alter: counterApart(
      (side, _, ticket) => (side === 'hardware' && isCard(ticket) ? side : undefined),
      false,
    ),
    says: /uses that devices took/,
  },
  'takes a use of a ticket with a window once it was validated': {
    alter: step('restBody', ({ next, world }, { status, ticket }) => {
      const body = next();
      const stored = world.tickets.get(ticket?.id ?? '');
      if (status === 'validated' && stored && isWindowed(stored)) take(stored);
      return body;
    }),
    says: /A look must take none/,
  },
  'calls a permanent card used up after 25 uses': {
    alter: refusing((ticket) => isPermanent(ticket) && ticket.usesConsumed >= 25, EXHAUSTED),
    says: /shows \d+ of 9999 uses|used up after \d+ granted uses/,
  },
  'makes a card new when a device shows that it is used up': {
    alter: step('refuse', ({ next }, ticket, action, side) => {
      const refused = next();
      const isShown = action === 'consume' && side === 'hardware' && ticket.usesAllowed > 1;
      if (isShown && refused?.status === 'exhausted') ticket.usesConsumed = 0;
      return refused;
    }),
    says: /makes it as new/,
  },
  'sends the grant of a card again for a second': {
    ...showing(
      ['consume'],
      grantAgain(({ usesAllowed }) => usesAllowed > 1, 1000),
    ),
    says: /same bytes, scannedAt included/,
    isByTheClock: true,
  },
  'exhausts the single tickets of a family together': step(
    'register',
    ({ next, world }, ticket) => {
      const singles = [...world.tickets.values()].filter(({ usesAllowed }) => usesAllowed === 1);
      const sister = singles[singles.indexOf(ticket) + 1];
      if (sister && ticket.usesAllowed === 1) sister.usesConsumed = 1;
      return next();
    },
  ),
  'counts refused scans of exhausted tickets': showing(
    ['validate', 'consume'],
    step('refuse', ({ next }, ticket, action) => {
      const refused = next();
      if (refused?.status === 'exhausted' && action === 'consume') {
        ticket.usesConsumed += 1;
        ticket.usesAllowed += 1;
      }
      return refused;
    }),
  ),
  'gives a use of a card back when it is validated': showing(
    CONSUME,
    step('refuse', ({ next }, ticket, action) => {
      if (action === 'validate' && ticket.usesConsumed > 1) ticket.usesConsumed -= 1;
      return next();
    }),
  ),
  'refuses a card of 100 after 16 uses': showing(
    CONSUME,
    refusing((ticket) => isHundred(ticket) && ticket.usesConsumed >= 16, EXHAUSTED),
  ),
  'counts 20 uses of a card of 100 and no more': showing(
    CONSUME,
    uncounted((ticket) => isHundred(ticket) && ticket.usesConsumed >= 20),
  ),
  'lets a card of 100 in for ever': showing(CONSUME, overlooking('exhausted', isHundred)),
  'shows a device that validates a card as if it were unused': showing(
    ['hw/consume'],
    telling((ticket, _, action, side) =>
      action === 'validate' && side === 'hardware' ? withUses(ticket, 0) : ticket,
    ),
  ),
  'tells of a card that is used up what it tells of a single ticket': telling(
    (ticket, { status }) =>
      status === 'exhausted'
        ? { ...ticket, type: 'single', usesAllowed: 1, usesConsumed: 1 }
        : ticket,
  ),
  'calls a card single once it is used up': rest('exhausted', { ticketType: 'single' }),
  'calls a single ticket a card once it is used up': rest('exhausted', { ticketType: 'multi' }),
});

/** Tells the uses of tickets that are refused for a reason of their own. */
const tellingRefused = rest((body, { reason, ticket }) =>
  ticket && reason !== undefined
    ? {
        ...body,
        usesAllowed: ticket.usesAllowed,
        usesConsumed: ticket.usesConsumed,
        usesRemaining: ticket.usesAllowed - ticket.usesConsumed,
      }
    : body,
);

/** Takes a use of a ticket that it refuses to consume. */
const OF_REFUSED = (['ticket_cancelled', 'not_yet_valid', 'expired'] as const).flatMap((reason) =>
  (['rest', 'hardware'] as const).flatMap((wanted) =>
    faults('3.2', {
      [`counts a consume that it refuses as ${reason} (${wanted})`]: showing(
        [wanted === 'rest' ? 'consume' : 'hw/consume'],
        together(
          tellingRefused,
          step('refuse', ({ next }, ticket, action, side) => {
            const refused = next();
            if (refused?.reason === reason && action === 'consume' && side === wanted) take(ticket);
            return refused;
          }),
        ),
      ),
    }),
  ),
);

/** Facts of a ticket that change with its uses. */
const FACTS = faults('2.3', {
  'tells an id of the use as ticketId from the second use on': telling((ticket) =>
    ticket.usesConsumed > 1 ? { ...ticket, id: `${ticket.id}-${ticket.usesConsumed}` } : ticket,
  ),
  'tells the time of the last use as validFrom': telling((ticket) =>
    ticket.usesConsumed > 1 ? { ...ticket, validFrom: ticket.lastScan ?? null } : ticket,
  ),
  'tells somebody as the holder of a card from its second use on': telling(
    (ticket, _outcome, _action, side) =>
      side === 'rest' && ticket.usesConsumed > 1
        ? { ...ticket, holder: { firstName: 'A', lastName: 'B' } }
        : ticket,
  ),
  'tells another ticketId once a ticket is used up': telling((ticket, { status }) =>
    status === 'exhausted' ? { ...ticket, id: `${ticket.id}-used` } : ticket,
  ),
});

/** Tells something else of a ticket that has uses left, once a device has taken one. */
const afterADevice = (change: (ticket: Ticket) => Ticket): Fault =>
  showing(
    ['validate', 'consume'],
    remembering(() => {
      const used = new Set<string>();
      return together(
        step('register', ({ next }, ticket, side) => {
          if (side === 'hardware') used.add(ticket.id);
          return next();
        }),
        telling((ticket, _outcome, _action, side) =>
          side === 'rest' && used.has(ticket.id) ? change(ticket) : ticket,
        ),
      );
    }),
  );

const FACTS_OF_CARDS = faults('2.3', {
  'forgets the end of a ticket that a device has used': afterADevice((ticket) => ({
    ...ticket,
    validUntil: null,
  })),
  'forgets the holder of a ticket that a device has used': afterADevice(
    ({ holder, ...ticket }) => ({
      ...ticket,
    }),
  ),
  'tells no holder from the second use on, on consume': showing(
    ['consume'],
    rest(
      (_, { status, ticket }) => status === 'consumed' && (ticket?.usesConsumed ?? 0) > 1,
      ({ holder, ...body }) => body,
    ),
  ),
});

/** Sizes of cards that nobody thought of. */
const SIZES = (['rest', 'hardware'] as const)
  .flatMap((wanted) =>
    faults('3.2', {
      [`lets a card of 12 in 13 times (${wanted})`]: showing(
        [wanted === 'rest' ? 'consume' : 'hw/consume'],
        overlooking(
          'exhausted',
          ({ usesAllowed, usesConsumed }, action, side) =>
            usesAllowed === 12 && usesConsumed === 12 && action === 'consume' && side === wanted,
        ),
      ),
    }),
  )
  .concat(
    faults('3.2', {
      'refuses the last use of a card of 12 at devices': showing(
        ['hw/consume'],
        refusing(
          (ticket, action, side) =>
            ticket.usesAllowed === 12 &&
            isLeft(ticket, 1) &&
            action === 'consume' &&
            side === 'hardware',
          EXHAUSTED,
        ),
      ),
    }),
  );

/** Servers that count wrong, or tell other counts than they keep. */
export const USE_FAULTS: readonly FaultyServer[] = [
  ...COUNTERS,
  ...OF_REFUSED,
  ...OF_KINDS,
  ...OF_CARDS,
  ...RACES,
  ...AFTER_A_WHILE,
  ...FACTS,
  ...FACTS_OF_CARDS,
  ...SIZES,
];
