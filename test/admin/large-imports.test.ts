import { expect, test } from 'vitest';
import { expectBelow } from '../support/expect-below.ts';
import { TestService } from '../support/service.ts';
import { type AdminAnswer, AdminClient } from './support/client.ts';

const MIB = 1024 * 1024;

/** Imports a list while another client asks for health, and tells how long the server left that one waiting, in ms. */
async function importWhileWatching(
  service: TestService,
  owner: AdminClient,
  body: string,
  format = 'jsonl',
): Promise<{ answer: AdminAnswer; longestMs: number }> {
  let isOver = false;
  let longestMs = 0;
  const watch = async () => {
    while (!isOver) {
      const start = performance.now();
      await fetch(`${service.url}/healthz`).then((response) => response.text());
      longestMs = Math.max(longestMs, performance.now() - start);
    }
  };
  const watching = watch();
  const type = format === 'csv' ? 'text/csv' : 'application/x-ndjson';
  const answer = await owner
    .request('POST', `/tickets/import?format=${format}`, body, { 'content-type': type })
    .finally(() => {
      isOver = true;
    });
  await watching;
  return { answer, longestMs };
}

test('a list without line feeds is refused by its first line, and holds nobody up', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);

  await expectBelow(500, async () => {
    const { answer, longestMs } = await importWhileWatching(service, owner, 'a'.repeat(15 * MIB));
    expect(answer.status).toBe(422);
    expect(answer.json.message).toMatch(/^the list: Line 1 has more than 65536 bytes/);
    return longestMs;
  });
});

test('a list above 16 MiB is refused, whether it says its length or not', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const row = `${' '.repeat(1023)}\n`;
  const list = row.repeat(17 * 1024);

  const whole = await owner.request('POST', '/tickets/import?format=jsonl', list, {
    'content-type': 'application/x-ndjson',
  });
  const streamed = await fetch(`${service.url}/admin/v1/tickets/import?format=jsonl`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      cookie: owner.cookie ?? '',
      origin: service.url,
    },
    body: new Blob([list]).stream(),
    duplex: 'half',
  });

  const message = 'One import has at most 16 MiB; send the list in parts.';
  const code = 'list_too_large';
  expect([whole.status, whole.json]).toEqual([413, { message, code }]);
  expect([streamed.status, await streamed.json()]).toEqual([413, { message, code }]);
});

test('a list of empty lines is refused before it takes long', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);

  await expectBelow(500, async () => {
    const { answer, longestMs } = await importWhileWatching(service, owner, '\n'.repeat(15 * MIB));
    expect(answer.json.message).toBe('the list: The file has more than 100000 lines. Split it.');
    return longestMs;
  });
});

test('quotes that are never closed hold nobody up, and a fault repeats no long cell', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const row = `"${'x'.repeat(60_000)}\n`;

  await expectBelow(500, async () => {
    const list = `ticketId\n${row.repeat(200)}`;
    const { answer, longestMs } = await importWhileWatching(service, owner, list, 'csv');
    expect(answer.status).toBe(422);
    return longestMs;
  });
  const long = await importWhileWatching(
    service,
    owner,
    `ticketId\n${'x'.repeat(60_000)}\n`,
    'csv',
  );

  expect(long.answer.status).toBe(422);
  expect(long.answer.text.length).toBeLessThan(2000);
});
