import { expect, onTestFinished, test } from 'vitest';
import { check, exitCodeOf, readTarget, type TargetInput } from '../../src/check/index.ts';
import { type ServerOptions, startServer } from '../mutants/reference/server.ts';

type Server = Awaited<ReturnType<typeof startServer>>;

const REST = { rest: 'key-of-rest' };
const ticket = (more: object, kind = 'single') => ({
  tickets: { [kind]: [{ code: 'A', ...more }] },
});

/** What is wrong in a target by itself, and the words in which that is said. */
const CONTRADICTIONS: readonly (readonly [what: string, target: object, says: RegExp])[] = [
  [
    'one key in two roles',
    { keys: { ...REST, hardware: REST.rest } },
    /"keys\.rest" and "keys\.hardware" are the same key/,
  ],
  [
    'a scoped key that is the other one',
    { keys: { ...REST, restScoped: REST.rest } },
    /"keys\.rest" and "keys\.restScoped"/,
  ],
  [
    'one code many times',
    { tickets: { single: ['A', 'B', 'A'] } },
    /"tickets\.single\[0\]" and "tickets\.single\[2\]" are the same ticket code/,
  ],
  [
    'one code in two lists',
    { tickets: { single: ['A'], expired: ['A'] } },
    /"tickets\.single\[0\]" and "tickets\.expired\[0\]"/,
  ],
  [
    'one ticketId for two codes',
    {
      tickets: {
        single: [
          { code: 'A', ticketId: 't' },
          { code: 'B', ticketId: 't' },
        ],
      },
    },
    /have the same "ticketId"/,
  ],
  [
    'a blank behind a code',
    { tickets: { single: ['A '] } },
    /"tickets\.single\[0\]" begins or ends with a blank/,
  ],
  [
    'a line end behind a code',
    ticket({ code: 'A\n' }),
    /"tickets\.single\[0\]" begins or ends with a blank or a line end/,
  ],
  [
    'a mistyped member',
    ticket({ validuntil: '2027-01-01T00:00:00Z' }),
    /"tickets\.single\[0\]\.validuntil" is not a member of a ticket\. Did you mean "validUntil"/,
  ],
  [
    'a mistyped name',
    ticket({ holder: { firstname: 'Ada' } }),
    /holder\.firstname" is not a member of a holder\. Did you mean "firstName"/,
  ],
  [
    'another member of a holder',
    ticket({ holder: { title: 'Dr' } }),
    /Known members: firstName, lastName/,
  ],
  [
    'a name that is none',
    ticket({ holder: { lastName: 7 } }),
    /holder\.lastName" must be a string/,
  ],
  [
    'a day that does not exist',
    ticket({ validFrom: '2020-31-01' }),
    /validFrom" must be an ISO 8601 timestamp .*and not "2020-31-01"/,
  ],
  [
    'a moment that is a number',
    ticket({ validUntil: 1_700_000_000 }),
    /validUntil" must be an ISO 8601 timestamp/,
  ],
  [
    'a window the wrong way round',
    ticket({ validFrom: '2027-02-01T00:00:00Z', validUntil: '2027-01-01T00:00:00Z' }, 'windowed'),
    /ends before it begins/,
  ],
  ['an id that is a number', ticket({ ticketId: 7 }), /ticketId" must be a string/],
  [
    'uses that are none',
    ticket({ usesAllowed: 0 }, 'multi'),
    /usesAllowed" must be a whole number above 0/,
  ],
  [
    'a card among single tickets',
    ticket({ usesAllowed: 10 }),
    /allows 10 uses, but "single" is for tickets of 1/,
  ],
  [
    'a single ticket among cards',
    ticket({ usesAllowed: 1 }, 'multi'),
    /"multi" is for tickets of 2 to 100/,
  ],
  [
    'a card among permanent ones',
    ticket({ usesAllowed: 100 }, 'permanent'),
    /"permanent" is for tickets of 9999/,
  ],
  [
    'a card of ten among those of a hundred',
    ticket({ usesAllowed: 10 }, 'hundred'),
    /"hundred" is for tickets of 100/,
  ],
  [
    'an ended ticket that is to begin',
    ticket({ validUntil: '2020-01-01T00:00:00Z' }, 'notYetValid'),
    /it belongs to "expired"/,
  ],
  [
    'a ticket to begin that has ended',
    ticket({ validFrom: '2999-01-01T00:00:00Z' }, 'expired'),
    /it belongs to "notYetValid"/,
  ],
];

test.each(CONTRADICTIONS)(
  '%s is found in the target, before anything is sent',
  async (_, target, says) => {
    expect(() => readTarget(target)).toThrow(says);
    const nowhere = check({ baseUrl: 'http://127.0.0.1:9', target: target as TargetInput });
    await expect(nowhere).rejects.toMatchObject({ name: 'CheckUsageError' });
  },
);

test('members of other lists, comments and what is left open are no mistakes', () => {
  const other = { valid: true, price: null, event: 'main', ticketType: 'single', '// note': 'x' };
  const { tickets } = readTarget(ticket({ ...other, holder: null, validFrom: null }));
  expect(tickets.single).toHaveLength(1);
});

async function started(options: ServerOptions = {}): Promise<Server> {
  const server = await startServer(options);
  onTestFinished(() => server.close());
  return server;
}

type Lists = Server['target']['tickets'];
const exchanged =
  (...[one, other]: [keyof Lists, keyof Lists]) =>
  ({ target }: Server) => ({
    ...target,
    tickets: {
      ...target.tickets,
      [one]: codesOf(target.tickets[other]),
      [other]: codesOf(target.tickets[one]),
    },
  });
/** Without what would contradict the list. */
const codesOf = (tickets: readonly { code: string }[]) => tickets.map(({ code }) => ({ code }));
const keysExchanged =
  (...[one, other]: [keyof Server['target']['keys'], keyof Server['target']['keys']]) =>
  ({ target: { keys, ...target } }: Server) => ({
    ...target,
    keys: { ...keys, [one]: keys[other], [other]: keys[one] },
  });

/** What only the first answers of a right server show. */
const EXCHANGED: readonly (readonly [what: string, (server: Server) => object, says: RegExp])[] = [
  [
    'rest and hardware',
    keysExchanged('rest', 'hardware'),
    /"keys\.rest" and "keys\.hardware" of the target file exchanged/,
  ],
  [
    'restScoped and hardwareScoped',
    keysExchanged('restScoped', 'hardwareScoped'),
    /"keys\.restScoped" and "keys\.hardwareScoped"/,
  ],
  ['rest and disabled', keysExchanged('rest', 'disabled'), /"keys\.rest" and "keys\.disabled"/],
  [
    'hardware and hardwareDisabled',
    keysExchanged('hardware', 'hardwareDisabled'),
    /"keys\.hardware" and "keys\.hardwareDisabled"/,
  ],
  [
    'rest and restScoped',
    keysExchanged('rest', 'restScoped'),
    /"keys\.rest" and "keys\.restScoped"/,
  ],
  [
    'single and exhausted',
    exchanged('single', 'exhausted'),
    /"tickets\.single" and "tickets\.exhausted"/,
  ],
  ['single and multi', exchanged('single', 'multi'), /"tickets\.single" and "tickets\.multi"/],
  [
    'multi and permanent',
    exchanged('multi', 'permanent'),
    /"tickets\.multi" and "tickets\.permanent"/,
  ],
  [
    'cancelled and single',
    exchanged('cancelled', 'single'),
    /"tickets\.single" and "tickets\.cancelled"/,
  ],
  [
    'exhausted and unknown',
    exchanged('exhausted', 'unknown'),
    /"tickets\.exhausted" and "tickets\.unknown"/,
  ],
  [
    'single and otherEvent',
    exchanged('single', 'otherEvent'),
    /"tickets\.single" and "tickets\.otherEvent"/,
  ],
];

test.each(EXCHANGED)(
  '%s exchanged: the first answers show it, and nothing is spent',
  async (_, targetOf, says) => {
    const server = await started();
    const before = JSON.stringify([...server.world.tickets]);
    const { baseUrl } = server;
    const target = targetOf(server) as TargetInput;
    const result = await check({ baseUrl, target, consume: true, maxRate: 5000 });
    expect(result.preflight?.advice).toMatch(says);
    expect([exitCodeOf(result), result.cases, result.findings]).toEqual([2, [], []]);
    expect(JSON.stringify([...server.world.tickets])).toBe(before);
  },
);

test('a server that lets used-up tickets in is a finding, and no mistake of the target', async () => {
  const { baseUrl, target } = await started({
    alter: (parts) => ({
      refuse: (one, ...rest) =>
        one.usesConsumed >= one.usesAllowed ? undefined : parts.refuse(one, ...rest),
    }),
  });
  const result = await check({ baseUrl, target, maxRate: 5000, only: ['4/refused-ticket'] });
  expect(result.preflight).toBeUndefined();
  expect(result.findings.length).toBeGreaterThan(0);
});

test('an option that check does not know is refused, with the one that was meant', async () => {
  const misspelt = { baseUrl: 'http://127.0.0.1:9', hooks: {} };
  await expect(check(misspelt)).rejects.toThrow(
    '"hooks" is not an option of check(). Did you mean "keyHooks"?',
  );
});
