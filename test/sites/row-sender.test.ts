import { expect, test } from 'vitest';
import { TicketscanError } from '../../src/core/errors.ts';
import type { CentreClient } from '../../src/features/sites/centre-client.ts';
import { RowSender } from '../../src/features/sites/row-sender.ts';
import { consumeAt, givenToOneSite, LiveClock, TestCentre } from './support/centre-and-sites.ts';

const SCANS = 5;

/** A line that counts the rows that go over it, and ends each question while it is cut. */
class CountingLine {
  isCut = false;
  readonly asked: number[] = [];

  async post(_path: string, { rows }: { rows: readonly { entry: { sequence: number } }[] }) {
    this.asked.push(rows.length);
    if (this.isCut) throw new TicketscanError('unreachable', 'The line is cut.');
    return { stored: rows.at(-1)?.entry.sequence, last: null };
  }
}

test('a site without a line tries with one row, so that its gates do not wait for many that are made ready in vain', async () => {
  await using centre = await TestCentre.start();
  const { site, ticket, agent } = await givenToOneSite(centre);
  await agent.close();
  const line = new CountingLine();
  const sender = new RowSender(
    {
      store: site.store,
      clock: new LiveClock(),
      client: line as unknown as CentreClient,
      ownRows: { hear: async () => undefined },
    },
    { url: '', siteId: '', name: '', incarnation: '0'.repeat(16), startsAfter: 0 },
    0,
  );
  const scan = async () => {
    for (let one = 0; one < SCANS; one += 1) await consumeAt(site.store, centre.keyId, ticket);
  };
  await scan();
  line.isCut = true;

  for (let again = 0; again < 3; again += 1) await expect(sender.send()).rejects.toThrow('cut');
  line.isCut = false;
  expect(await sender.send()).toBe(true);
  expect(await sender.send()).toBe(true);
  expect(await sender.send()).toBe(false);
  expect(line.asked).toEqual([1, 1, 1, 1, SCANS - 1]);

  // Where there was no trouble, what is new goes at once.
  await scan();
  await sender.send();
  line.isCut = true;
  await scan();
  await expect(sender.send()).rejects.toThrow('cut');
  await expect(sender.send()).rejects.toThrow('cut');
  expect(line.asked.slice(SCANS)).toEqual([SCANS, SCANS, 1]);
});
