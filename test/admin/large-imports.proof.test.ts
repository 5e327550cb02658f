import { request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { longestTurnMs } from '../support/processor-time.ts';
import { TestService } from '../support/service.ts';
import { type AdminAnswer, AdminClient } from './support/client.ts';
import { sharedService } from './support/shared-service.ts';

const MIB = 1024 * 1024;
const TYPES = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;
// Whether a list of many megabytes arrives in time is not asked here, so other work on the machine must not decide it.
const at = sharedService({ store: 'memory', requestTimeoutMs: 60_000 });

function importList(
  body: string,
  { format = 'jsonl' as keyof typeof TYPES, options = '', owner = at.owner } = {},
): Promise<AdminAnswer> {
  const headers = { 'content-type': TYPES[format] };
  return owner.request('POST', `/tickets/import?format=${format}${options}`, body, headers);
}

/** Tickets with numbered ids. */
const rows = (event: string, count: number) =>
  Array.from(
    { length: count },
    (_, index) => `{"ticketId":"tkt_${event}_${String(index).padStart(20, '0')}"}\n`,
  ).join('');
const newEvent = async (name: string) => (await at.owner.post('/events', { name })).json.id;
const batch = expect.stringMatching(/^bat_/);

test.each([
  ['the tickets that are there are faults', '', { findTickets: 11, insertTickets: 11 }],
  ['they are skipped', '&skipExisting=true', { findTickets: 0, insertTickets: 11 }],
])('an import asks the store once for many tickets when %s', async (name, options, expected) => {
  const list = rows(await newEvent(name), 11_000);
  const spies = (['findTicket', 'findTickets', 'insertTickets', 'list'] as const).map(
    (method) => [method, vi.spyOn(at.service.store, method)] as const,
  );

  const { json } = await importList(list, { options });

  expect(json).toEqual({ imported: 11_000, existing: 0, known: 0, batch });
  const calls = spies.map(([method, { mock }]) => {
    const asked = mock.calls.filter(([kind]) => method !== 'list' || (kind as unknown) === 'event');
    return [method, asked.length];
  });
  expect(Object.fromEntries(calls)).toEqual({ findTicket: 0, list: 1, ...expected });
  for (const [, spy] of spies) spy.mockRestore();
});

test('tickets that are there are faults by line, or are counted and left alone', async () => {
  const event = await newEvent('Twice');
  const skip = { options: '&skipExisting=true' };
  await importList(rows(event, 2));

  const refused = await importList(rows(event, 3));
  const skipped = await importList(rows(event, 3), skip);
  const again = await importList(rows(event, 3), skip);

  expect([refused.status, refused.json.code]).toEqual([422, 'list_refused']);
  const lines = { line: 1, lines: [1, 2], count: 2 };
  expect(refused.json.faults).toMatchObject([
    { ...lines, column: 'ticketId', code: 'row_existing' },
  ]);
  expect(skipped.json).toEqual({ imported: 1, existing: 2, known: 0, batch });
  expect(again.json).toEqual({ imported: 0, existing: 3, known: 0 });
  const auditLog = await at.service.store.readAuditLog({ limit: 2 });
  expect(auditLog.map(({ act, details }) => [act, details['count']])).toEqual([
    ['ticket.import', 1],
    ['ticket.import', 2],
  ]);
});

test('a list that is imported twice at the same time is there once, with every ticket counted once', async () => {
  await using service = await TestService.start();
  const owner = await AdminClient.signedIn(service);
  const list = rows(service.seeded.events.main, 6000);

  const both = [1, 2].map(() => importList(list, { options: '&skipExisting=true', owner }));
  const answers = await Promise.all(both);

  const sum = (name: string) => answers.reduce((all, { json }) => all + json[name], 0);
  expect([sum('imported'), sum('existing')]).toEqual([6000, 6000]);
});

test('a list above 16 MiB is refused, whether it says its length or not', async () => {
  const { service, owner } = at;
  const list = `${' '.repeat(1023)}\n`.repeat(17 * 1024);

  const whole = await importList(list);
  const streamed = await fetch(`${service.url}/admin/v1/tickets/import?format=jsonl`, {
    method: 'POST',
    headers: { 'content-type': TYPES.jsonl, cookie: owner.cookie ?? '', origin: service.url },
    body: new Blob([list]).stream(),
    duplex: 'half',
  });

  const refused = { message: 'One import has at most 16 MiB; send the list in parts.' };
  for (const [status, json] of [
    [whole.status, whole.json],
    [streamed.status, await streamed.json()],
  ])
    expect([status, json]).toEqual([413, { ...refused, code: 'list_too_large' }]);
});

test.each([
  [
    'without line feeds',
    'jsonl',
    () => 'a'.repeat(15 * MIB),
    /^the list: Line 1 has more than 65536 bytes/,
  ],
  [
    'of empty lines',
    'jsonl',
    () => '\n'.repeat(15 * MIB),
    /^the list: The file has more than 100000 lines/,
  ],
  [
    'with one quoted field that never ends',
    'csv',
    () => `ticketId\n"${'x'.repeat(15 * MIB)}`,
    /^the list: Line 2 has more than 65536 bytes/,
  ],
  [
    'with a quoted field of many lines',
    'csv',
    () => `ticketId\n"${`${'x'.repeat(600)}\n`.repeat(20_000)}`,
    /./,
  ],
  [
    'that is one array without line feeds',
    'jsonl',
    () => `[${'{"ticketId":"x"},'.repeat(800_000)}`,
    /^the list: Line 1 has more than 65536 bytes/,
  ],
  [
    'whose quotes are never closed',
    'csv',
    () => `ticketId\n${`"${'x'.repeat(60_000)}\n`.repeat(200)}`,
    /./,
  ],
] as const)('a list %s is refused, and holds nobody up', async (_, format, list, message) => {
  const body = list();
  const turnMs = await longestTurnMs(async () => {
    const { status, json } = await importList(body, { format });
    expect([status, json.message]).toEqual([422, expect.stringMatching(message)]);
  });
  expect(turnMs).toBeLessThan(250);
});

/**
 * Posts so many times `block`, with its length in the head, in pieces as the line takes them: `fetch` handles a body whose length is known in
 * one turn of 48 MB, which the clock would count as the server's.
 *
 * @returns the status, 413 where the server ends the connection while the rest is sent
 */
function sendWithLength(
  url: string,
  headers: Readonly<Record<string, string>>,
  block: string,
  times: number,
): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const length = { 'content-length': block.length * times };
  const sent = httpRequest(url, { method: 'POST', headers: { ...headers, ...length } });
  sent.on('response', (answer) => {
    answer.resume();
    resolve(answer.statusCode ?? 0);
  });
  // The rest is not received: the server ends the connection after its answer.
  sent.on('error', () => resolve(413));
  Readable.from(Array.from({ length: times }, () => Buffer.from(block))).pipe(sent);
  return promise;
}

test('48 MB without a line feed are refused without holding anybody up, whether their length is said or not', async () => {
  const { service, owner } = at;
  const block = 'a'.repeat(MIB);
  const headers = { 'content-type': TYPES.jsonl, cookie: owner.cookie ?? '', origin: service.url };
  const url = `${service.url}/admin/v1/tickets/import?format=jsonl`;
  async function* blocks() {
    for (let index = 0; index < 48; index += 1) yield Buffer.from(block);
  }
  const before = process.memoryUsage().external;
  const turnMs = await longestTurnMs(async () => {
    const said = await sendWithLength(url, headers, block, 48);
    const streamed = await fetch(url, {
      method: 'POST',
      headers,
      body: ReadableStream.from(blocks()),
      duplex: 'half',
    }).then(
      ({ status }) => status,
      () => 422,
    );
    expect([said, streamed]).toEqual([413, 422]);
  });
  expect(turnMs).toBeLessThan(250);
  expect(process.memoryUsage().external - before).toBeLessThan(128 * MIB);
});

test('a fault repeats no long cell', async () => {
  const { status, text } = await importList(`ticketId\n${'x'.repeat(60_000)}\n`, { format: 'csv' });
  expect(status).toBe(422);
  expect(text.length).toBeLessThan(2000);
});
