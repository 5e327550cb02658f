import { expect, test } from 'vitest';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';
import { ENGINES, GatePage } from './support/gate-page.ts';

const NEEDED = ['firefox-esr', 'WebKitWebDriver', 'xvfb-run'];
const skipped = reasonToSkip(Object.fromEntries(NEEDED.map((name) => [name, isOnPath(name)])));

/** People sign in at the address that the first command prints, and the phones at a gate are often iPhones. */
test.skipIf(skipped !== undefined).each(Object.entries(ENGINES))(
  'in %s somebody signs in over plain HTTP on this machine, stays so after a reload, admits one guest and denies the next',
  async (_, openEngine) => {
    await using gate = await GatePage.open(openEngine);
    const { page, service } = gate;
    const code = await service.mint({ kind: 'single', firstName: 'Grace', lastName: 'Hopper' });
    await gate.signIn();
    await page.reload();
    await gate.shows('.shell', 'Scan');

    await page.type('Ticket code', `${code}\n`);
    await gate.shows('.result.good', 'Grace Hopper');
    await page.type('Ticket code', `${code}\n`);
    await gate.shows('.result.bad', 'DENIED');
    expect((await service.store.findTicket(code.split('.')[1] ?? ''))?.usesConsumed).toBe(1);
  },
);
