import { expect, test } from 'vitest';
import { CliFolder, targetOf } from '../support/cli.ts';
import { RemoteFolder } from '../support/remote.ts';

test('a lost card is replaced in a store: the new id and code are printed', async () => {
  await using cli = new CliFolder();
  const event = await cli.json(['events', 'create', '--name', 'Pool']);
  const card = ['--event', event.id, '--type', 'multi', '--uses', '5'];
  const [lost] = await cli.json(['mint', ...card]);

  const told = await cli.run(['tickets', 'replace', lost.code]);

  expect([told.code, told.err]).toEqual([0, '']);
  const made =
    /^Ticket (\S+) is cancelled\. Its replacement is (\S+), with 5 of 5 uses left\.\nCode: (\S+)\n$/;
  const [, old, id, code] = made.exec(told.out) ?? [];
  expect([old, code?.split('.')[1]]).toEqual([lost.ticketId, id]);
  expect(await cli.json(['tickets', 'show', lost.ticketId])).toMatchObject({
    state: 'cancelled',
    replacedBy: id,
  });
  expect((await cli.run(['tickets', 'show', lost.ticketId])).out).toContain(`replaced by ${id}`);
  expect((await cli.run(['tickets', 'show', id ?? ''])).out).toContain(`replaces ${old}`);
  const json = await cli.json(['tickets', 'replace', id ?? '']);
  const { code: newCode, ...shown } = json;
  expect(await cli.json(['tickets', 'show', json.ticketId])).toEqual(shown);
  expect(shown).toMatchObject({ replaces: id, replacedBy: null });
  expect(newCode.split('.')[1]).toBe(json.ticketId);
  const twice = await cli.run(['tickets', 'replace', lost.ticketId]);
  expect(twice).toMatchObject({ code: 2, err: expect.stringContaining(`replaced by ${id}`) });
  const back = await cli.run(['tickets', 'reinstate', lost.ticketId]);
  expect(back).toMatchObject({ code: 2, err: expect.stringContaining(`replaced by ${id}`) });
  const half = await cli.run(['tickets', 'replace', 'tkt_half']);
  expect(half).toMatchObject({ code: 2, err: expect.stringContaining('no whole ticket id') });
});

test('who takes back a use of a lost card hears that its replacement keeps its count', async () => {
  await using cli = new CliFolder();
  const { tickets } = targetOf(await cli.json(['seed', '--count', '1']));
  const [code = ''] = tickets['exhausted'] ?? [];
  const { out } = await cli.run(['log', '--ticket', code, '--json']);
  const { sequence } = JSON.parse(out.split('\n')[0] ?? '');
  const { ticketId } = await cli.json(['tickets', 'replace', code]);

  const undone = await cli.run(['tickets', 'undo', `${sequence}`, '--reason', 'stuck']);

  expect(undone).toMatchObject({
    code: 0,
    err: expect.stringContaining(`replaced by ${ticketId}`),
  });
});

test('without the keyring nothing is replaced: nobody would know the code', async () => {
  await using cli = new CliFolder();
  const event = await cli.json(['events', 'create', '--name', 'Pool']);
  const [lost] = await cli.json(['mint', '--event', event.id]);

  const refused = await cli.run(['tickets', 'replace', lost.ticketId, '--keyring', 'none.json']);

  expect(refused.code).not.toBe(0);
  expect(await cli.json(['tickets', 'list'])).toMatchObject([{ state: 'valid' }]);
});

test('at a server the answer has the code', async () => {
  await using folder = await RemoteFolder.start();
  const { cli, environment } = folder;
  const [lost] = folder.target.tickets['single'] ?? [];

  const done = await cli.run(['tickets', 'replace', lost ?? '', '--json'], environment);

  expect([done.code, done.err]).toEqual([0, '']);
  expect(JSON.parse(done.out)).toMatchObject({
    code: expect.stringMatching(/^TS1\./),
    replaces: lost?.split('.')[1],
    state: 'valid',
    scans: [],
  });
});
