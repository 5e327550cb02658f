import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localTimeIn } from '../../src/core/time-zone.ts';
import { openStore } from '../../src/stores/open-store.ts';
import { consume } from '../support/cli.ts';
import { InProcess } from '../support/in-process.ts';
import { RemoteFolder } from '../support/remote.ts';

const BERLIN = 'Europe/Berlin';
/** The last millisecond of 30 September 2027 in Berlin, where the machine of the tests has UTC. */
const END = '2027-09-30T21:59:59.999Z';

/** A store whose organisation is in Berlin, with one ticket. */
async function aPoolInBerlin(cli: InProcess): Promise<{ event: string; ticket: string }> {
  const { id: event } = await cli.json(['events', 'create', '--name', 'Pool']);
  const [organisation] = await cli.json(['organisations', 'list']);
  await cli.run(['organisations', 'edit', organisation.id, '--time-zone', BERLIN]);
  const ticket = `tkt_${event}_${'0'.repeat(20)}`;
  return { event, ticket };
}

const listOf = (id: string, until: string) => `ticketId,type,validUntil\n${id},single,${until}\n`;

describe('a date is read in the zone of the organisation', () => {
  test('by every command alike', async () => {
    await using cli = new InProcess();
    const { event, ticket } = await aPoolInBerlin(cli);
    const untilOf = async (id: string) => (await cli.json(['tickets', 'show', id])).validUntil;

    const minted = await cli.json(['mint', '--event', event, '--valid-until', '30.09.2027']);
    expect(minted[0].validUntil).toBe(END);
    writeFileSync(join(cli.path, 'list.csv'), listOf(ticket, '30.09.2027'));
    await cli.json(['tickets', 'import', 'list.csv']);
    expect(await untilOf(ticket)).toBe(END);
    for (const [zone, instant] of [
      [[], '2027-10-01T21:59:59.999Z'],
      [['--time-zone', 'UTC'], '2027-10-01T23:59:59.999Z'],
    ] as const) {
      const edited = ['tickets', 'edit', ticket, '--valid-until', '2027-10-01', ...zone];
      expect((await cli.json(edited)).validUntil).toBe(instant);
    }
    const key = ['keys', 'create', '--name', 'Gate', '--type', 'hardware'];
    expect((await cli.json([...key, '--expires', '30.09.2027'])).expiresAt).toBe(END);
    const changed = await cli.json(['keys', 'edit', 'Gate', '--expires', '2027-10-01 12:00']);
    expect(changed.expiresAt).toBe('2027-10-01T10:00:00.000Z');
    const pruned = await cli.json(['log', 'prune', '--before', '2026-07-01']);
    expect(pruned.before).toBe('2026-06-30T22:00:00.000Z');
    const explained = ['explain', ticket, '--at', '2027-07-01 00:30', '--validate', '--json'];
    expect((await cli.run(explained)).out).toContain('2027-06-30T22:30:00.000Z');
    const counted = await cli.json(['stats', '--from', '01.07.2026', '--to', '2.7.2026']);
    expect(counted).toMatchObject({ from: '2026-07-01', to: '2026-07-02', timeZone: BERLIN });
  });

  test('and a time that clocks skip there is refused by every option and list, by name', async () => {
    await using cli = new InProcess();
    const { event, ticket } = await aPoolInBerlin(cli);
    await cli.json(['mint', '--event', event]);
    await cli.json(['keys', 'create', '--name', 'Gate', '--type', 'hardware']);
    const skipped = '2027-03-28 02:30';
    writeFileSync(join(cli.path, 'list.csv'), listOf(ticket, skipped));
    writeFileSync(join(cli.path, 'people.csv'), `firstName,validFrom\nAda,${skipped}\n`);
    const [{ ticketId }] = await cli.json(['tickets', 'list']);
    for (const command of [
      ['mint', '--event', event, '--valid-from', skipped],
      ['mint', '--event', event, '--valid-until', skipped],
      ['mint', '--event', event, '--from-csv', 'people.csv'],
      ['tickets', 'import', 'list.csv'],
      ['tickets', 'edit', ticketId, '--valid-from', skipped],
      ['tickets', 'edit', ticketId, '--valid-until', skipped],
      ['keys', 'create', '--name', 'Other', '--type', 'api', '--expires', skipped],
      ['keys', 'edit', 'Gate', '--expires', skipped],
      ['log', '--from', skipped],
      ['log', '--to', skipped],
      ['log', 'prune', '--before', skipped],
      ['explain', ticketId, '--at', skipped],
    ]) {
      const { code, err } = await cli.run(command);
      expect(err, command.join(' ')).toContain(`"${skipped}" does not exist in ${BERLIN}`);
      expect(code, command.join(' ')).not.toBe(0);
    }
  });

  test('of several organisations, that of the ticket, the event or the list; else that of the machine', async () => {
    await using cli = new InProcess();
    const { event, ticket } = await aPoolInBerlin(cli);
    await cli.json(['organisations', 'create', '--name', 'Other']);
    const other = ['events', 'create', '--name', 'Lake', '--organisation', 'Other'];
    const { id: lake } = await cli.json(other);
    const elsewhere = `tkt_${lake}_${'1'.repeat(20)}`;
    const untilOf = async (id: string) => (await cli.json(['tickets', 'show', id])).validUntil;

    writeFileSync(join(cli.path, 'list.csv'), listOf(ticket, '30.09.2027'));
    await cli.json(['tickets', 'import', 'list.csv']);
    expect(await untilOf(ticket)).toBe(END);
    const both = `${listOf(`${ticket.slice(0, -1)}2`, '30.09.2027')}${elsewhere},single,30.09.2027\n`;
    writeFileSync(join(cli.path, 'both.csv'), both);
    await cli.json(['tickets', 'import', 'both.csv']);
    expect(await untilOf(elsewhere)).toBe('2027-09-30T23:59:59.999Z');
    expect((await cli.run(['tickets', 'list'])).out).toContain('VALID FROM (UTC)');
    const ofEvent = await cli.run(['tickets', 'list', '--event', event]);
    expect(ofEvent.out).toContain(`VALID FROM (${BERLIN})`);
  });
});

test('times for people are in that zone, which the output names once; machines get UTC', async () => {
  await using cli = new InProcess();
  const { event, ticket } = await aPoolInBerlin(cli);
  await cli.json(['mint', '--event', event]);
  writeFileSync(join(cli.path, 'list.csv'), listOf(ticket, '30.09.2027'));
  await cli.run(['tickets', 'import', 'list.csv']);
  await cli.run('keys create --name Gate --type hardware --expires 30.09.2027');
  const once = (text: string) => text.split(BERLIN).length - 1;

  for (const command of [
    ['tickets', 'list'],
    ['tickets', 'show', ticket],
    ['tickets', 'edit', ticket, '--valid-until', '30.09.2027'],
    ['keys', 'list'],
    ['explain', ticket],
  ]) {
    const { out } = await cli.run(command);
    expect(out, command.join(' ')).toContain('2027-09-30 23:59:59');
    expect(once(out), command.join(' ')).toBe(1);
    expect(out).not.toMatch(/\d{4}-\d\d-\d\dT/);
  }
  for (const command of [
    ['events', 'list'],
    ['accounts', 'list'],
    ['keys', 'rotate', 'Gate'],
  ]) {
    const { out, err } = await cli.run(command);
    if (out.includes('TIME') || err.includes('until')) expect(once(out + err)).toBe(1);
  }
  const exported = await cli.run(['tickets', 'export', '--event', event]);
  expect(exported.out).toContain(END);
});

test("with a server, its organisation's zone; a log that is explained names it once, and one for programs not", async () => {
  await using folder = await RemoteFolder.start(1);
  await using here = new InProcess();
  const { environment, server, restKey, target } = folder;
  const park = ['organisations', 'edit', 'Sample leisure park', '--time-zone', BERLIN];
  await folder.cli.run(park);
  const empty = await here.run('log --explain --to 2020-01-01', environment);
  expect(empty.out + empty.err).not.toContain(BERLIN);
  await consume(server.url, restKey, target.tickets['multi']?.[0] ?? '');

  const explained = await here.run('log --explain', environment);
  expect([explained.err, explained.out]).toEqual([
    `Times are in ${BERLIN}.\n`,
    expect.stringContaining('existence'),
  ]);
  expect(explained.out).not.toContain(BERLIN);
  const json = await here.run('log --explain --json', environment);
  expect(json.out + json.err).not.toContain(BERLIN);

  const [id = ''] = (target.tickets['single'] ?? []).map((code) => code.split('.')[1]);
  const edited = await here.json(`tickets edit ${id} --valid-until 30.09.2027`, environment);
  expect(edited.validUntil).toBe(END);
  const store = { TICKETSCAN_STORE: `sqlite:${folder.cli.path}/ticketscan.db` };
  for (const minutes of [-5, 5]) {
    const { date, minute } = localTimeIn(Date.now() + minutes * 60_000, BERLIN);
    for (const where of [store, environment]) {
      const asked = ['log', '--event', 'Summer pool', '--from', `${date} ${minute}`];
      const log = await here.run(asked, where);
      expect(log.out.includes('consumed'), `${minutes}`).toBe(minutes < 0);
      if (minutes < 0) expect(log.out).toContain(`TIME (${BERLIN})`);
    }
  }
});

test('doctor and restore show every time in the zone of the store, not that of the machine', async () => {
  await using cli = new InProcess();
  const { event } = await aPoolInBerlin(cli);
  await cli.json(['mint', '--event', event]);
  const key = ['keys', 'create', '--name', 'Gate', '--type', 'hardware'];
  const expires = new Date(Date.now() + 86_400_000).toISOString();
  const { id: keyId } = await cli.json([...key, '--expires', expires]);
  const store = await openStore(`sqlite:${join(cli.path, 'ticketscan.db')}`);
  const subject = { kind: 'unreadable' } as const;
  const read = { operation: 'consume', serial: null, reader: null, retry: null } as const;
  await store.commitScans([{ kind: 'scan', keyId, subject, now: Date.now(), ...read }]);
  await store.close();
  await cli.run(['store', 'backup', 'copy.db']);
  const doctor = await cli.run('doctor');
  const restore = await cli.run(['store', 'restore', 'copy.db', '--yes']);
  const zonesIn = (text: string) =>
    text.match(/(?<=\d\d:\d\d(?::\d\d)? \()[A-Z][A-Za-z/]+(?=\))/g) ?? [];
  // The last scan, the backup and the expiry.
  expect(zonesIn(doctor.out)).toEqual([BERLIN, BERLIN, BERLIN]);
  expect(zonesIn(restore.err)).toEqual([BERLIN]);
});
