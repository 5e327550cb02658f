import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { TICKETS_AT_ONCE_MAX } from '../../src/features/tickets/rules.ts';
import { AdminClient } from '../admin/support/client.ts';
import { InProcess } from '../support/in-process.ts';
import { TestService } from '../support/service.ts';
import { ENGINES, type Engine } from '../support/stores.ts';

const WAYS = ['store', 'server'] as const;

/** The command line at the store of a service, or at the service itself. */
class Desk implements AsyncDisposable {
  readonly folder = new InProcess();
  readonly #service: TestService;
  readonly #access: readonly string[];
  readonly #env: Record<string, string>;

  /** The id of the event. */
  readonly event: string;

  private constructor(
    service: TestService,
    token: string,
    way: (typeof WAYS)[number],
    event: string,
  ) {
    this.event = event;
    this.#service = service;
    this.#access =
      way === 'store'
        ? ['--store', service.storeUrl]
        : ['--url', service.url, '--token', 'env:TOKEN'];
    this.#env = { TOKEN: token };
  }

  static async open(engine: Engine, way: (typeof WAYS)[number]): Promise<Desk> {
    const service = await TestService.start({ store: engine });
    const owner = await AdminClient.signedIn(service);
    const { token } = (await owner.post('/access-tokens', { name: 'cli', role: 'owner' })).json;
    const { id } = (await owner.post('/events', { name: 'Pool' })).json;
    await owner.post('/events', { name: 'Lake' });
    return new Desk(service, token, way, id);
  }

  /** Writes the rows, and imports them as new tickets. What differs between two runs is the same in the answer. */
  import(rows: readonly string[], ...options: readonly string[]) {
    const given = options.includes('--event') ? [] : ['--event', 'Pool'];
    return this.importIds(rows, ...given, ...options);
  }

  /** The same of tickets with ids. */
  async importIds(rows: readonly string[], ...options: readonly string[]) {
    writeFileSync(join(this.folder.path, 'list.csv'), rows.join('\n'));
    const args = ['tickets', 'import', 'list.csv', ...options, ...this.#access];
    const { code, out, err } = await this.folder.run(args, this.#env);
    return { code, out: alike(out), err: alike(err) };
  }

  async asked(answer: string, ...options: readonly string[]) {
    const args = ['tickets', 'import', 'list.csv', '--event', 'Pool', ...options, ...this.#access];
    const { code, err } = await this.folder.ask(
      args.map((arg) => (arg === 'env:TOKEN' ? (this.#env['TOKEN'] ?? '') : arg)),
      answer,
    );
    // How often the terminal repeats what is typed meanwhile, differs.
    return { code, out: '', err: alike(err).replaceAll(/(?:n\r?\n)+/gu, 'n\n') };
  }

  /** What there is of each reference, one text for each ticket. */
  async stored(): Promise<string[]> {
    const found = await this.#service.store.listTickets({ limit: 5000 });
    return found
      .filter(({ reference }) => reference !== undefined)
      .map(({ reference, holder, cancelledAt, ticketType, note }) =>
        [reference, holder?.firstName, holder?.lastName, ticketType, note, cancelledAt && 'x']
          .filter(Boolean)
          .join(' '),
      )
      .sort();
  }

  /** Cancels one of the tickets with a reference. */
  async cancelOne(reference: string): Promise<void> {
    const found = await this.#service.store.listTickets({ limit: 5000 });
    const { id = '' } = found.find((ticket) => ticket.reference === reference) ?? {};
    const { code } = await this.folder.run(['tickets', 'cancel', id, ...this.#access], this.#env);
    expect(code).toBe(0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.folder[Symbol.asyncDispose]();
    await this.#service[Symbol.asyncDispose]();
  }
}

function alike(text: string): string {
  return text.replaceAll(/tkt_\w+/gu, 'tkt_…').replaceAll(/bat_\w+/gu, 'bat_…');
}

const HEAD = 'Order,Position,firstName,lastName,validUntil,Seats,note,Status';
const FIRST = [
  HEAD,
  'A,1,Ada,Lovelace,,1,Ramp,paid',
  'A,2,Charles,Babbage,,1,,paid',
  'B,1,Eve,Example,,3,,paid',
  'C,1,Never,Made,,1,,void',
];
const NEXT = [
  HEAD,
  'A,1,Ada,King,31.12.2099,1,,paid',
  'A,2,,,,1,,VOID',
  'B,1,Eve,Example,,3,,paid',
  'D,1,Di,New,,2,,paid',
];
const SHOP = ['--reference', 'Order,Position', '--quantity', 'Seats', '--cancelled', 'Status=void'];
const UPDATE = [...SHOP, '--update'];

/** The same imports, step by step; what each says, and what there is in the end. */
async function story(desk: Desk) {
  const said = [
    await desk.import(FIRST, ...UPDATE, '--dry-run'),
    await desk.import(FIRST, ...UPDATE, '--json'),
    await desk.import(NEXT, ...UPDATE, '--dry-run', '--json'),
    await desk.import(NEXT, ...SHOP, '--unique-reference', '--dry-run'),
    await desk.import(NEXT, ...UPDATE, '--dry-run'),
    await desk.asked('n\n', ...UPDATE),
    await desk.import(NEXT, ...UPDATE),
    await desk.import(NEXT, ...UPDATE, '--json'),
    await desk.import(FIRST, ...UPDATE, '--dry-run'),
    await desk.import(NEXT, ...UPDATE, '--event', 'Lake', '--dry-run'),
    await desk.import([HEAD, 'A,1,Ada,,1.1.2020,1,,paid', 'A,,x,,,1,,paid'], ...UPDATE),
    await desk.import([HEAD, 'E,1,Ed,,,1,,paid', 'E,2,Ed,,soon,1,,'], ...UPDATE, '--skip-bad'),
    await desk.import([HEAD, 'F,1,Flo,,,1,,paid', 'A,1,No,,,1,,'], ...SHOP, '--unique-reference'),
    await desk.import(['firstName', 'Walk', 'In'], '--type', 'multi', '--uses', '3', '--json'),
    await desk.import(['Nr,x'], ...UPDATE),
  ];
  return { said, stored: await desk.stored() };
}

describe.each(ENGINES)('%s', (engine) => {
  test('a list without ids is imported at a server as on a store: the same options, words and tickets', async () => {
    await using onStore = await Desk.open(engine, 'store');
    await using atServer = await Desk.open(engine, 'server');
    const [first, second] = [await story(onStore), await story(atServer)];
    expect(second).toEqual(first);
    const { said, stored } = first;
    const [dry, made, plan, unique, , no, changed, again, back, elsewhere, refused, bad] = said;
    expect(dry?.err).toContain('New tickets: 5, to change: 0, to cancel: 0, as they are: 0.');
    expect(dry?.err).toContain('Nothing was changed (--dry-run).');
    expect(JSON.parse(made?.out ?? '')).toEqual({
      imported: 5,
      known: 0,
      changed: 0,
      cancelled: 0,
      skippedFaults: 0,
      existing: 0,
      batch: 'bat_…',
    });
    expect(JSON.parse(plan?.out ?? '')).toMatchObject({
      new: 2,
      known: 4,
      changed: [{ line: 2, reference: 'A-1', after: { holder: { lastName: 'King' } } }],
      cancelled: [{ line: 3, reference: 'A-2' }],
      unchanged: 3,
    });
    expect(unique?.err).toContain('New tickets: 2, known already: 4.');
    expect([no?.code, no?.err]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    expect(changed?.err).toContain('A-1: name: Ada Lovelace → Ada King');
    expect(changed?.err).toContain('2 new tickets made.');
    expect(JSON.parse(again?.out ?? '')).toMatchObject({ imported: 0, changed: 0, cancelled: 0 });
    expect(back?.err).toContain('1 ticket cancelled here: a list never reinstates.');
    expect(elsewhere?.err).toContain('4 references of another event');
    expect([refused?.code, refused?.err]).toEqual([2, expect.stringContaining('line 3')]);
    expect([bad?.code, bad?.err]).toEqual([0, expect.stringContaining('skipped line 3')]);
    expect(stored).toEqual([
      'A-1 Ada King single Ramp',
      'A-2 Charles Babbage single x',
      'B-1 Eve Example single',
      'B-1 Eve Example single',
      'B-1 Eve Example single',
      'D-1 Di New single',
      'D-1 Di New single',
      'E-1 Ed single',
      'F-1 Flo single',
    ]);
  });
});

test('another number of tickets, and what a list does not change, are told and left as they are', async () => {
  const told = [];
  for (const way of WAYS) {
    await using desk = await Desk.open('sqlite', way);
    const columns = ['--reference', 'Order', '--quantity', 'Seats'];
    const head = 'Order,Seats,type,note,attention';
    const first = [head, 'A,2,single,,', 'B,2,single,Ramp,', 'C,1,single,,'];
    await desk.import(first, ...columns, '--update');
    const stored = await desk.stored();
    const next = [head, 'A,3,single,,', 'B,1,single,,', 'C,1,multi,,yes'];
    const uses = ['--uses', '5'];
    const said = [
      await desk.import(next, ...columns, ...uses, '--update', '--dry-run'),
      await desk.import(next, ...columns, ...uses, '--update', '--dry-run', '--json'),
      await desk.import(next, ...columns, ...uses, '--update'),
      await desk.import(next, ...columns, ...uses, '--update', '--json'),
      await desk.import(next, ...columns, ...uses, '--unique-reference'),
      await desk.import(next, ...columns, ...uses, '--unique-reference', '--dry-run'),
      await desk.import(next, ...columns, ...uses, '--unique-reference', '--json'),
    ];
    const [dry, plan, done, json, , , unique] = said;
    for (const at of [0, 2, 3, 4, 5, 6])
      expect(said[at]?.err).toContain(
        '2 references have another number of tickets than the list: A (list 3, here 2), B (list 1, here 2). Nothing is changed for them: make or cancel these tickets by hand.',
      );
    expect(dry?.err).toContain('1 ticket differs in note, attention, type or uses');
    const otherNumbers = [
      { reference: 'A', listed: 3, here: 2 },
      { reference: 'B', listed: 1, here: 2 },
    ];
    expect(JSON.parse(plan?.out ?? '')).toMatchObject({ differing: 1, otherNumbers });
    expect(JSON.parse(json?.out ?? '')).toMatchObject({ imported: 0, otherNumbers });
    expect(JSON.parse(unique?.out ?? '')).toMatchObject({ imported: 0, otherNumbers });
    // What is as it is, is no failure.
    expect(done?.err).not.toMatch(/not made|new tickets made/u);
    expect(await desk.stored()).toEqual(stored);
    told.push(said);
  }
  expect(told[1]).toEqual(told[0]);
});

test('only the first references with another number of tickets are named', async () => {
  await using desk = await Desk.open('sqlite', 'store');
  const line = ['--reference', 'Order', '--quantity', 'Seats', '--update'];
  const rows = (seats: number) => [
    'Order,Seats',
    ...Array.from({ length: 22 }, (_, at) => `O${at},${seats}`),
  ];
  await desk.import(rows(1), ...line);
  const { err } = await desk.import(rows(2), ...line);
  expect(err).toContain('O19 (list 2, here 1), … and 2 more. Nothing');
});

test('tickets that somebody has cancelled by hand make the number right', async () => {
  await using desk = await Desk.open('sqlite', 'store');
  const line = ['--reference', 'Order', '--quantity', 'Seats', '--update'];
  await desk.import(['Order,Seats', 'A,2', 'B,2'], ...line);
  await desk.cancelOne('A');
  await desk.cancelOne('B');
  const { err } = await desk.import(['Order,Seats', 'A,1', 'B,2'], ...line);
  expect(err).not.toContain('another number');
});

test('a change that a ticket cannot take is named with the line of the file, and the rest may go on', async () => {
  const told = [];
  for (const way of WAYS) {
    await using desk = await Desk.open('sqlite', way);
    const line = ['--reference', 'Order', '--update'];
    await desk.import(['Order,validFrom,firstName', 'A,2030-01-01,Ada', 'B,,Bob'], ...line);
    const next = ['Order,validUntil,firstName', 'B,,Bert', 'A,2029-01-01,King', 'C,,Cy'];
    const refused = await desk.import(next, ...line);
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining('line 3')]);
    expect(await desk.stored()).toEqual(['A Ada single', 'B Bob single']);
    const skipped = await desk.import(next, ...line, '--skip-bad');
    expect(skipped.err).toContain('skipped line 3');
    expect(await desk.stored()).toEqual(['A Ada single', 'B Bert single', 'C Cy single']);
    told.push([refused, skipped]);
  }
  expect(told[1]).toEqual(told[0]);
});

test('more tickets than one request makes or changes are done in parts, of one batch', async () => {
  await using desk = await Desk.open('sqlite', 'server');
  const rows = (name: string) => [
    'Order,firstName,Seats',
    ...Array.from({ length: 600 }, (_, at) => `O${at},${name},${at === 300 ? 700 : 3}`),
  ];
  const line = ['--reference', 'Order', '--quantity', 'Seats', '--update'];
  const total = 599 * 3 + 700;
  expect(total).toBeGreaterThan(2 * TICKETS_AT_ONCE_MAX);
  const { out } = await desk.import(rows('Ada'), ...line, '--json');
  expect(JSON.parse(out)).toMatchObject({ imported: total, known: 0, batch: 'bat_…' });
  const { out: changed } = await desk.import(rows('Eve'), ...line, '--json');
  expect(JSON.parse(changed)).toMatchObject({ imported: 0, changed: total });
  const stored = await desk.stored();
  expect([stored.length, new Set(stored.map((one) => one.split(' ')[1]))]).toEqual([
    total,
    new Set(['Eve']),
  ]);
});

test('options that would have no effect are refused', async () => {
  await using folder = new InProcess();
  for (const option of [
    '--update',
    '--map pretix',
    '--cancelled a=b',
    '--type multi',
    '--uses 3',
  ]) {
    const { code, err } = await folder.run(`tickets import list.csv ${option}`);
    expect([code, err]).toEqual([2, expect.stringContaining('add --event EVENT')]);
  }
  for (const option of ['--skip-existing', '--create-events', '--organisation A']) {
    const { code, err } = await folder.run(`tickets import list.csv --event Pool ${option}`);
    expect([code, err]).toEqual([2, expect.stringContaining('about a list with ids')]);
  }
});

test('a dry run of a list with ids says what is new and what is there, on a store and at a server', async () => {
  const told = [];
  for (const way of WAYS) {
    await using desk = await Desk.open('sqlite', way);
    const id = (letter: string) => `tkt_${desk.event}_${letter.repeat(20)}`;
    const list = [
      'ticketId,reference,createdAt',
      `${id('a')},A,2020-01-01`,
      `${id('b')},B,2020-01-01`,
    ];
    const run = desk.importIds.bind(desk);
    const dry = await run(list, '--dry-run');
    expect(await desk.stored()).toEqual([]);
    expect((await run(list, '--json')).out).toContain('"imported":2');
    const more = [...list, `${id('c')},B,2020-01-01`, `${id('d')},D,2020-01-01`];
    const both = await run(more, '--skip-existing', '--dry-run', '--json');
    const known = await run(
      ['ticketId,reference,createdAt', `${id('c')},B,2020-01-01`, `${id('d')},D,2020-01-01`],
      '--unique-reference',
      '--dry-run',
    );
    expect(dry.err).toContain('New tickets: 2.');
    expect(JSON.parse(both.out)).toEqual({ new: 2, existing: 2, known: 0, skippedFaults: 0 });
    expect(known.err).toContain('New tickets: 1, known already: 1.');
    expect(await desk.stored()).toEqual(['A single', 'B single']);
    told.push([dry, both, known]);
  }
  expect(told[1]).toEqual(told[0]);
});
