import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createKeyring } from '../../src/config/keyring-file.ts';
import { TICKET_STATES } from '../../src/core/decision.ts';
import { CliFolder, targetOf } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';
import { reasonToSkip } from '../support/needed-programs.ts';
import { PASSWORD, postAdmin, signIn } from '../support/remote.ts';

const FAKETIME = `/usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu/faketime/libfaketimeMT.so.1`;
const missing = reasonToSkip({ libfaketime: existsSync(FAKETIME) });
const DAY_MS = 86_400_000;
const dayFromNow = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

function aFolder(): InProcess {
  const folder = new InProcess();
  onTestFinished(() => folder[Symbol.asyncDispose]());
  return folder;
}

const write = (folder: InProcess, name: string, lines: readonly string[]) =>
  writeFileSync(join(folder.path, name), `${lines.join('\n')}\n`);

/** Imports a ticket in each state, and one that is valid for ever. @returns the ids by what they are */
async function aTicketInEachState(cli: InProcess): Promise<Record<string, string>> {
  const { id } = await cli.json('events create --name Pool');
  const rows = {
    cancelled: ',,0',
    not_yet_valid: `${dayFromNow(200)},,0`,
    expired: `,${dayFromNow(-2)},0`,
    exhausted: ',,1',
    valid: `,${dayFromNow(200)},0`,
    always: ',,0',
  };
  const idOf = (state: string) => `tkt_${id}_${state.replaceAll('_', '').padEnd(20, '0')}`;
  const lines = Object.entries(rows).map(([state, row]) => `${idOf(state)},single,${row}`);
  write(cli, 'all.csv', ['ticketId,type,validFrom,validUntil,usesConsumed', ...lines]);
  await cli.json('tickets import all.csv');
  await cli.json(`tickets cancel ${idOf('cancelled')}`);
  return Object.fromEntries(Object.keys(rows).map((state) => [state, idOf(state)]));
}

test('lists, filters, a ticket and exports say what a scan would answer now; an import ignores it', async () => {
  const cli = aFolder();
  const ids = await aTicketInEachState(cli);
  for (const state of TICKET_STATES) {
    const listed: { state: string; ticketId: string }[] = await cli.json(
      `tickets list --state ${state}`,
    );
    expect(new Set(listed.map((one) => one.state))).toEqual(new Set([state]));
    expect(listed.map((one) => one.ticketId)).toContain(ids[state]);
    const table = await cli.run(`tickets show ${ids[state]}`);
    expect(table.out).toMatch(new RegExp(`${ids[state]} .* ${state}( |\n)`));
    for (const [format, text] of Object.entries({
      csv: `,${state},`,
      jsonl: `"state":"${state}"`,
    })) {
      const { out } = await cli.run(`tickets export --state ${state} --format ${format}`);
      expect(out.split('\n').find((line) => line.includes(ids[state] ?? ''))).toContain(text);
    }
  }

  const other = aFolder();
  const { out } = await cli.run('tickets export');
  write(other, 'all.csv', [out.replaceAll(',expired,', ',valid,')]);
  expect(await other.json('tickets import all.csv --create-events')).toMatchObject({ imported: 6 });
  expect(await other.json(`tickets show ${ids['expired']}`)).toMatchObject({ state: 'expired' });
});

test.skipIf(missing)("at a server, states are those of the server's clock", async () => {
  const here = aFolder();
  await using cli = new CliFolder();
  const ids = await aTicketInEachState(here);
  createKeyring(join(here.path, 'ticketscan.keyring.json'));
  await here.run('accounts create --name ada --role owner --password env:PW', { PW: PASSWORD });
  const store = ['--store', `sqlite:${here.path}/ticketscan.db`];
  const server = await cli.serve(store, ['env', `LD_PRELOAD=${FAKETIME}`, 'FAKETIME=+300d']);
  const cookie = await signIn(server.url);
  const made = await postAdmin(
    server.url,
    '/access-tokens',
    { name: 'cli', role: 'owner' },
    cookie,
  );
  const { token } = (await made.json()) as { token: string };
  const env = { TICKETSCAN_URL: server.url, TICKETSCAN_TOKEN: token };

  const listed = await here.json('tickets list --state expired', env);
  const shown = await here.json(`tickets show ${ids['not_yet_valid']}`, env);

  const expired = listed.map(({ ticketId }: { ticketId: string }) => ticketId);
  expect(expired.toSorted()).toEqual([ids['expired'], ids['valid']].toSorted());
  expect(shown.state).toBe('valid');
});

test('a lost card is replaced: the new id and code are printed, and each names the other', async () => {
  const cli = aFolder();
  await cli.run('events create --name Pool');
  const [lost] = await cli.json('mint --event Pool --type multi --uses 5');
  const told = await cli.run(['tickets', 'replace', lost.code]);
  const [, id = '', code = ''] =
    /Its replacement is (\S+), with 5 of 5 uses left\.\nCode: (\S+)\n$/.exec(told.out) ?? [];
  expect(code.split('.')[1]).toBe(id);
  const { ticketId } = lost;
  expect(await cli.json(`tickets show ${ticketId}`)).toMatchObject({
    state: 'cancelled',
    replacedBy: id,
  });
  expect((await cli.run(`tickets show ${id}`)).out).toContain(`replaces ${ticketId}`);
  const { code: newCode, ...shown } = await cli.json(`tickets replace ${id}`);
  expect(await cli.json(`tickets show ${shown.ticketId}`)).toEqual(shown);
  expect([shown.replaces, newCode.split('.')[1]]).toEqual([id, shown.ticketId]);
  for (const line of [`tickets replace ${ticketId}`, `tickets reinstate ${ticketId}`]) {
    const { failure, err } = await cli.run(line);
    expect([failure, err]).toEqual(['conflict', expect.stringContaining(`replaced by ${id}`)]);
  }
});

test('who takes back a use of a lost card hears that its replacement keeps its count', async () => {
  const cli = aFolder();
  const { tickets } = targetOf(await cli.json('seed --count 1'));
  const [code = ''] = tickets['exhausted'] ?? [];
  const { out } = await cli.run(['log', '--ticket', code, '--json']);
  const { ticketId } = await cli.json(['tickets', 'replace', code]);
  const { sequence } = JSON.parse(out.split('\n')[0] ?? '');
  const undone = await cli.run(`tickets undo ${sequence} --reason stuck`);
  expect([undone.code, undone.err]).toEqual([
    0,
    expect.stringContaining(`replaced by ${ticketId}`),
  ]);
});

test('mint takes the names that another shop has for events and types', async () => {
  const cli = aFolder();
  await cli.run('events create --name Pool');
  write(cli, 'shop.csv', ['Product;Category;Vorname', 'VIP 2027;Season;Ada', 'Pool;day;Grace']);
  const made = await cli.json([
    ...[
      'mint',
      '--event',
      'Pool',
      '--from-csv',
      'shop.csv',
      '--columns',
      'event=Product,type=Category',
    ],
    ...['--event-map', 'vip 2027=Pool', '--type-map', 'Season=permanent,DAY=single'],
  ]);
  expect(made).toMatchObject([
    { ticketType: 'multi', usesAllowed: 9999, holder: { firstName: 'Ada' } },
    { ticketType: 'single', usesAllowed: 1, holder: { firstName: 'Grace' } },
  ]);
});

test('tickets import takes the name of an event, its own or a mapped one, and never another event', async () => {
  const cli = aFolder();
  const { id } = await cli.json('events create --name Pool');
  await cli.run('events create --name Sauna');
  const rows = ['VIP', 'Pool', id].map(
    (event, row) => `tkt_${id}_0123456789abcdefghi${row},${event},Season`,
  );
  write(cli, 'tickets.csv', ['ticketId,event,type', ...rows]);
  const imported = (event: string) =>
    cli.run(`tickets import tickets.csv --event-map VIP=${event} --type-map season=permanent`);
  const { code, err } = await imported('Sauna');
  expect([code, err]).toEqual([2, expect.stringContaining('line 2, column event: ')]);
  expect(await cli.json('tickets list')).toEqual([]);
  expect(await imported('Pool')).toMatchObject({ code: 0 });
  const shown = await cli.json('tickets list');
  expect(shown.map((one: { usesAllowed: number }) => one.usesAllowed)).toEqual([9999, 9999, 9999]);
});
