import { expect, test } from 'vitest';
import { TestService } from '../support/service.ts';
import { AdminClient } from './support/client.ts';

test('an export of the log calculates nothing in a spreadsheet and steers no terminal', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const evil = ['=2+5', '+1', '-1', '@x', '\t=1', '\u001b]0;pwned\u0007=1', '\u202e=1'];
  for (const text of evil) {
    await service.card('consume', `${text}${'x'.repeat(60)}`, { Serial: text, Reader: text });
  }
  const { text, status } = await owner.get('/log/export?format=csv');
  expect(status).toBe(200);
  expect(text.split('\n').filter((line) => line.includes('invalid_ticket'))).toHaveLength(
    evil.length,
  );
  expect(text).not.toMatch(/(^|,)"?[=+@-]/m);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/u);
  expect((await owner.get('/log/export?format=jsonl')).text).toContain('"=2+5"');
});

test('so does an export of tickets, and an import takes the sign off again', async () => {
  await using service = await TestService.start({ store: 'memory' });
  const owner = await AdminClient.signedIn(service);
  const event = (await owner.get('/events')).json.items[0].id;
  const holder = { firstName: '=1+1', lastName: "'@x" };
  await owner.post('/tickets', { event, type: 'single', count: 1, holder });
  const { text } = await owner.get('/tickets/export?format=csv');
  expect(text).toContain(",'=1+1,''@x,");
  const { ticketId } = (await owner.get(`/tickets?event=${event}&search=1%2B1`)).json.items[0];

  const other = `${ticketId.slice(0, -4)}0000`;
  const list = text
    .split('\n')
    .filter((line) => /^ticketId|=1\+1/.test(line))
    .join('\n');
  const imported = await owner.request(
    'POST',
    '/tickets/import?format=csv',
    list.replace(ticketId, other),
    {
      'content-type': 'text/csv',
    },
  );
  expect(imported.json).toEqual({ imported: 1, existing: 0 });
  expect((await owner.get(`/tickets/${other}`)).json.holder).toEqual(holder);
});
