import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { InProcess } from '../../support/in-process.ts';

const place = new InProcess();
afterAll(() => place[Symbol.asyncDispose]());

beforeAll(async () => {
  await place.run(['events', 'create', '--name', 'Pool']);
  await place.run('organisations edit --time-zone Europe/Berlin --language de');
  const window = '--valid-from 2027-07-01 --valid-until 2027-07-31';
  await place.run(`mint --event Pool --first-name Ada ${window} --format csv --excel --out minted`);
  await place.run('tickets export --excel --out exported.csv');
});

test.each(['minted/tickets.csv', 'exported.csv'])(
  'a list for a spreadsheet has the times and the words of the organisation: %s',
  (file) => {
    const [headings = '', row = ''] = readFileSync(join(place.path, file), 'utf8').split(/\r?\n/u);
    expect(headings.replace('\ufeff', '').split(';')).toEqual(
      expect.arrayContaining(['Ticketkennung', 'Ticketart', 'Gültig ab', 'Gültig bis', 'Zeitzone']),
    );
    expect(row.split(';')).toEqual(
      expect.arrayContaining([
        'Einzelticket',
        '01.07.2027 00:00:00',
        '31.07.2027 23:59:59',
        'Europe/Berlin',
      ]),
    );
  },
);
