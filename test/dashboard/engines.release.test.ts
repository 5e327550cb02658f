import { afterEach, describe, expect, test } from 'vitest';
import { makeAccount, PASSWORD } from '../admin/support/client.ts';
import { PATIENTLY } from '../support/patience.ts';
import { TestService } from '../support/service.ts';
import { type DrivenPage, openFirefox, openWebKit } from './support/engines.ts';

const ENGINES = { Firefox: openFirefox, 'WebKit, which Safari is made of,': openWebKit };

/** The phones at a gate are often iPhones, and people sign in at the address that the first command prints. */
describe.each(Object.entries(ENGINES))('in %s', (_, openEngine) => {
  let page: DrivenPage | undefined;
  afterEach(() => page?.close());

  test('somebody signs in over plain HTTP on this machine, stays so after a reload, admits one guest and denies the next', async () => {
    await using service = await TestService.start({ store: 'memory' });
    await makeAccount(service, 'Ada', 'operator');
    const code = await service.mint({ kind: 'single', firstName: 'Grace', lastName: 'Hopper' });
    page = await openEngine();
    const shows = (selector: string, text: string) =>
      expect.poll(() => page?.textOf(selector), PATIENTLY).toContain(text);

    await page.open(service.url);
    await page.type('Account', 'Ada');
    await page.type('Password', `${PASSWORD}\n`);
    await shows('.shell', 'Overview');
    await page.open(`${service.url}/scanner`);
    await shows('.shell', 'Scan');

    await page.type('Ticket code', `${code}\n`);
    await shows('.result.good', 'Grace Hopper');
    await page.type('Ticket code', `${code}\n`);
    await shows('.result.bad', 'DENIED');
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
  });
});
