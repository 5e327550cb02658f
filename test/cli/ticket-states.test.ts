import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TICKET_STATES } from '../../src/core/decision.ts';
import { CliFolder } from '../support/cli.ts';
import { reasonToSkip } from '../support/needed-programs.ts';
import { PASSWORD, postAdmin, signIn } from '../support/remote.ts';

const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
const missing = reasonToSkip({ libfaketime: existsSync(FAKETIME) });
const DAY_MS = 86_400_000;
const dayFromNow = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

/** A store with a ticket in each state, and one that is valid for ever. @returns the ids by what they are */
async function aTicketInEachState(cli: CliFolder): Promise<Record<string, string>> {
  const event = await cli.json(['events', 'create', '--name', 'Pool']);
  await cli.json(['tickets', 'list']);
  const windows = {
    cancelled: [],
    not_yet_valid: ['--valid-from', dayFromNow(200)],
    expired: ['--valid-until', dayFromNow(-2)],
    exhausted: [],
    valid: ['--valid-until', dayFromNow(200)],
    always: [],
  };
  const ids: Record<string, string> = {};
  for (const [state, window] of Object.entries(windows)) {
    const out = join(cli.path, state);
    await cli.run(['mint', '--event', event.id, ...window, '--out', out, '--format', 'json,png']);
    const [made] = JSON.parse(readFileSync(join(out, 'tickets.json'), 'utf8'));
    ids[state] = made.ticketId;
  }
  await cli.run(['tickets', 'cancel', ids['cancelled'] ?? '']);
  const used = join(cli.path, 'used.csv');
  const exhausted = `tkt_${event.id}_${'u'.repeat(20)}`;
  writeFileSync(used, `ticketId,type,usesConsumed\n${exhausted},single,1\n`);
  expect((await cli.run(['tickets', 'import', used])).code).toBe(0);
  return { ...ids, exhausted };
}

test('lists, filters, a ticket, exports and decode say what a scan would answer now', async () => {
  await using cli = new CliFolder();
  const ids = await aTicketInEachState(cli);

  for (const state of TICKET_STATES) {
    const listed = await cli.json(['tickets', 'list', '--state', state]);
    expect(listed.map((one: { state: string }) => one.state)).not.toHaveLength(0);
    for (const one of listed) expect(one.state).toBe(state);
    expect(listed.map((one: { ticketId: string }) => one.ticketId)).toContain(ids[state]);
    const table = await cli.run(['tickets', 'show', ids[state] ?? '']);
    expect(table.out).toMatch(new RegExp(`${ids[state]} .* ${state}( |\n)`));
    const shown = await cli.json(['tickets', 'show', ids[state] ?? '']);
    expect(shown.state).toBe(state);
    for (const format of ['csv', 'jsonl']) {
      const wanted = ['--state', state, '--format', format];
      const exported = await cli.run(['tickets', 'export', ...wanted]);
      const line = exported.out.split('\n').find((one) => one.includes(ids[state] ?? ''));
      expect(line, format).toMatch(format === 'csv' ? `,${state},` : `"state":"${state}"`);
    }
  }
  const read = await cli.run(['decode', join(cli.path, 'expired')]);
  expect(read.out).toContain(', expired, 0/1 uses');
  expect((await cli.run(['tickets', 'list', '--state', 'used'])).code).toBe(2);
});

test('an import ignores the state that an export wrote', async () => {
  await using cli = new CliFolder();
  const ids = await aTicketInEachState(cli);
  await using other = new CliFolder();
  const list = join(other.path, 'tickets.csv');
  const { out } = await cli.run(['tickets', 'export']);
  writeFileSync(list, out.replaceAll(',expired,', ',valid,'));

  const done = await other.run(['tickets', 'import', list, '--create-events']);

  expect([done.code, done.err]).toEqual([0, expect.stringContaining('7 tickets imported')]);
  const shown = await other.json(['tickets', 'show', ids['expired'] ?? '']);
  expect(shown.state).toBe('expired');
});

test.skipIf(missing)("at a server, states are those of the server's clock", async () => {
  await using cli = new CliFolder();
  const ids = await aTicketInEachState(cli);
  const owner = ['accounts', 'create', '--name', 'ada', '--role', 'owner'];
  await cli.run([...owner, '--password', 'env:PW'], { PW: PASSWORD });
  const server = await cli.serve([], ['env', `LD_PRELOAD=${FAKETIME}`, 'FAKETIME=+300d']);
  const cookie = await signIn(server.url);
  const wanted = { name: 'cli', role: 'owner' };
  const made = await postAdmin(server.url, '/access-tokens', wanted, cookie);
  const { token } = (await made.json()) as { token: string };
  const environment = { TICKETSCAN_URL: server.url, TICKETSCAN_TOKEN: token };

  const listed = await cli.run(['tickets', 'list', '--state', 'expired', '--json'], environment);
  const shown = await cli.run(['tickets', 'show', ids['not_yet_valid'] ?? ''], environment);

  const states = JSON.parse(listed.out).map((one: Record<string, string>) => [
    one['ticketId'],
    one['state'],
  ]);
  expect(new Map(states)).toEqual(
    new Map([
      [ids['expired'], 'expired'],
      [ids['valid'], 'expired'],
    ]),
  );
  expect(shown.out).toMatch(/ valid( |\n)/);
});
