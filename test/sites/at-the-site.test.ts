import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkKeyring } from '../../src/cli/doctor/machine-checks.ts';
import { checkBackup } from '../../src/cli/doctor/store-checks.ts';
import { systemClock } from '../../src/config/system-clock.ts';
import { NO_DEVICE_NAMES } from '../../src/core/gate-name.ts';
import type { LogEntry } from '../../src/core/records.ts';
import { makeTicketCode } from '../../src/core/ticket-code.ts';
import { Passwords } from '../../src/features/accounts/passwords.ts';
import { Accounts } from '../../src/features/accounts/rules.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { explainCode } from '../../src/features/explain/explain-scan.ts';
import { logCells } from '../../src/features/log/commands/log-text.ts';
import { keyringOfSite } from '../../src/features/sites/verifying-keys.ts';
import { keyringPath, openKeyring } from '../../src/features/store/opening.ts';
import { AdminClient, PASSWORD } from '../admin/support/client.ts';
import { CHEAP_PASSWORDS } from '../support/service.ts';
import { CentreHere, SiteHere, scan, until } from './support.ts';

/** A centre whose event is at a site. */
async function apart(centre: CentreHere, file: string): Promise<SiteHere> {
  const site = await SiteHere.open(centre, await centre.token(file), file);
  await centre.rules.giveTo(centre.event, await centre.rules.find(file));
  await centre.moved('away');
  return site;
}

async function signedIn(site: SiteHere): Promise<AdminClient> {
  const passwords = new Passwords(CHEAP_PASSWORDS);
  const deps = { store: site.store, clock: systemClock, random: randomBytes, passwords };
  const [{ id = '' } = {}] = await site.store.list('organisation');
  const options = { name: 'ada', role: 'owner', organisationId: id, password: PASSWORD } as const;
  await new Accounts(deps, COMMAND_LINE).create(options);
  const client = new AdminClient(site.url);
  expect((await client.signIn('ada')).status).toBe(201);
  return client;
}

test('people at a site let in by hand and by a printed id, though nothing there can sign a code; the uses come to the centre', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(3);
  await using site = await apart(centre, 'north.db');
  const client = await signedIn(site);
  const scan = (ticketCode: string, requestId: string) =>
    client.post('/scans', { operation: 'consume', ticketCode, requestId, byHand: true });

  expect((await scan(id, 'the-first-scan')).json).toMatchObject({ valid: true, usesTaken: 1 });
  // The code in place of the id repeats the scan.
  expect((await scan(code, 'the-first-scan')).json).toMatchObject({ valid: true });
  expect((await scan(id, 'the-second-scan')).json.ticket).toMatchObject({ usesConsumed: 2 });
  expect((await client.get(`/tickets/${id}`)).json).toMatchObject({ usesConsumed: 2, code: null });
  const drawn = await client.get(`/tickets/${id}/qr.svg`);
  expect([drawn.status, drawn.json.message]).toEqual([409, expect.stringContaining('centre')]);
  await until(async () => (await centre.use(id)) === 2, 'the centre has both uses');
});

test('a site verifies TS1 codes with the secret, and refuses them without it', async () => {
  await using centre = await CentreHere.open();
  const { id } = await centre.ticket(3);
  const { organisationId } = centre.event;
  const path = keyringPath(`sqlite:${join(centre.folder, 'centre.db')}`, undefined);
  const code = makeTicketCode(id, await openKeyring(centre.store, path), 'TS1');
  const { token } = await centre.rules.create(organisationId, 'With', true);
  await using site = await SiteHere.open(centre, token, 'with.db');
  await centre.rules.giveTo(centre.event, await centre.rules.find('With'));
  await centre.moved('away');
  expect(await scan(site, centre.key, code)).toMatchObject({ valid: true, uses: 1 });
  const forged = code.slice(0, -2) + (code.endsWith('xx') ? 'yy' : 'xx');
  expect(await scan(site, centre.key, forged)).toMatchObject({ status: 200, valid: false });

  await centre.rules.askBack(centre.event);
  await centre.moved('centre');
  await using without = await apart(centre, 'without.db');
  expect(await scan(without, centre.key, code)).toMatchObject({ status: 200, valid: false });
  expect(await centre.use(id)).toBe(1);
});

test('commands at a site know its keys, and where the home of a ticket is', async () => {
  await using centre = await CentreHere.open();
  const { id, code } = await centre.ticket(3);
  await using site = await apart(centre, 'north.db');
  const question = { key: undefined, operation: 'consume', timeZone: undefined } as const;
  const now = systemClock.now();
  const explained = async (store: SiteHere['store'], text: string) => {
    const keyring = (await keyringOfSite(site.store)) ?? [];
    return (await explainCode(store, keyring, { ...question, code: text, now })).explanation;
  };
  for (const text of [id, code]) {
    expect(await explained(site.store, text)).toMatchObject({ granted: true });
    const there = await explained(centre.store, text);
    expect(there).toMatchObject({ granted: false, answer: 'elsewhere' });
    expect(JSON.stringify(there.steps)).toContain('north.db');
  }
  expect(await keyringOfSite(centre.store)).toBeUndefined();
  expect(checkKeyring('no-keyring.json', { tickets: 3, isSite: true }).outcome).toBe('good');
  const backup = await checkBackup(site.store, 'sqlite', now, 'UTC');
  expect(backup).toMatchObject({ outcome: 'skipped', finding: expect.stringContaining('centre') });
});

test('the log in a shell says at which site a scan was answered, and that a late one took no use', () => {
  const entry: LogEntry = {
    sequence: 7,
    at: 0,
    keyId: 'key_1',
    serial: null,
    reader: null,
    operation: 'consume',
    status: 'consumed',
    reason: null,
    ticketId: 'tkt_ab12cd_0123456789abcdefghij',
    excerpt: null,
    usesConsumed: 1,
    replayed: false,
  };
  const names = new Map([
    ['key_1', 'Gate'],
    ['site_1', 'Pool North'],
  ]);
  const shown = (changes: Partial<LogEntry>) => {
    const cells = logCells({ ...entry, ...changes }, names, 'UTC', NO_DEVICE_NAMES);
    return [cells[3], cells[6]];
  };
  expect(shown({})).toEqual(['consumed', 'Gate (key_1)']);
  const site = { id: 'site_1.0123456789abcdef', number: 3, late: false };
  expect(shown({ site })).toEqual(['consumed', 'Gate (key_1) at Pool North']);
  const late = { ...site, late: true };
  expect(shown({ site: late, replayed: true })[0]).toBe('consumed (late, took no use)');
  expect(shown({ site: { ...site, id: 'site_2.x' } })[1]).toBe('Gate (key_1) at site_2');
});
