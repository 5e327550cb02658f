import { expect, test } from 'vitest';
import { consume } from '../support/cli.ts';
import { RemoteFolder } from '../support/remote.ts';

test('stats counts what was scanned, on the store and at a server, for people, spreadsheets and programs', async () => {
  await using remote = await RemoteFolder.start();
  const { cli, server, restKey, target, environment } = remote;
  const [code = ''] = target.tickets['single'] ?? [];
  for (let scan = 0; scan < 2; scan += 1) await consume(server.url, restKey, code);
  const zone = ['--time-zone', 'America/St_Johns', '--organisation', 'Sample leisure park'];

  const onStore = await cli.run(['stats', '--by', 'type', '--json', ...zone]);
  const atServer = await cli.run(['stats', '--by', 'type', '--json', ...zone], environment);
  expect(JSON.parse(onStore.out)).toMatchObject({
    ...{ by: 'type', timeZone: 'America/St_Johns' },
    rows: expect.arrayContaining([
      expect.objectContaining({ type: 'single', denied: 1, validations: 0, undone: 0 }),
    ]),
    byReason: [{ reason: 'exhausted', count: 1 }],
  });
  expect(JSON.parse(atServer.out)).toEqual(JSON.parse(onStore.out));

  const event = ['--event', 'Summer pool'];
  const table = await cli.run(['stats', ...event]);
  const { admitted } = JSON.parse(onStore.out).totals;
  expect(table.out).toMatch(new RegExp(`^total +${admitted} +1 +0$`, 'm'));
  expect(table.out).toMatch(/^Denied: exhausted 1$/m);
  const csv = await cli.run(['stats', '--csv', '--by', 'hour', ...event], environment);
  const [heads, ...hours] = csv.out.trim().split('\n');
  expect(heads).toBe('hour,admitted,denied,validations,undone,exits');
  expect(hours.length).toBeGreaterThan(7 * 24 - 2);

  await cli.run(['organisations', 'edit', '--language', 'de']);
  for (const environmentOf of [undefined, environment]) {
    const excel = await cli.run(['stats', '--excel', '--by', 'type', ...event], environmentOf);
    expect(excel.out).toMatch(/^\ufeffTicketart;Eingelassen;Abgewiesen;.*\nEinzelticket;/u);
  }

  for (const [wrong, message] of [
    [['--from', '2026-02-30'], /"2026-02-30" is not a day/],
    [
      ['--from', '2026-02-03', '--to', '2026-02-01'],
      /2026-02-03 to 2026-02-01: The period ends before it begins/,
    ],
    [['--by', 'hour', '--from', '2020-01-01', '--to', '2026-01-01'], /at most 400 days/],
    [['--time-zone', 'Mars/Base'], /Mars\/Base/],
    [['--csv', '--json'], /--csv and --json/],
    [['--csv', '--excel'], /--csv and --excel/],
  ] as const) {
    const refused = await cli.run(['stats', ...wrong]);
    expect(refused.code).toBe(2);
    expect(refused.err).toMatch(message);
  }
});
