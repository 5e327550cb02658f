import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CliFolder } from '../support/cli.ts';

const WRITTEN = { reference: 'ORDER-4711', note: 'Wheelchair', attention: true };

test('what is written on a ticket is minted, shown, edited, exported and imported', {
  timeout: 60_000,
}, async () => {
  await using cli = new CliFolder();
  await cli.json(['events', 'create', '--name', 'Pool']);
  const mint = ['mint', '--event', 'Pool', '--reference', 'ORDER-4711', '--note', 'Wheelchair'];
  const [{ ticketId }] = await cli.json([...mint, '--attention', 'yes']);
  expect(await cli.json(['tickets', 'show', ticketId])).toMatchObject(WRITTEN);
  const { out } = await cli.run(['tickets', 'show', ticketId]);
  for (const line of ['ORDER-4711', 'Note: Wheelchair', '\nAttention\n'])
    expect(out).toContain(line);

  for (const format of ['jsonl', 'csv']) {
    const exported = await cli.run(['tickets', 'export', '--format', format]);
    await using other = new CliFolder();
    writeFileSync(join(other.path, `list.${format}`), exported.out);
    await other.json(['tickets', 'import', `list.${format}`, '--create-events']);
    expect(await other.json(['tickets', 'show', ticketId])).toMatchObject(WRITTEN);
  }

  const edit = ['tickets', 'edit', ticketId, '--note', '', '--attention', 'no'];
  const plain = { reference: 'ORDER-4711', note: null, attention: false };
  expect(await cli.json(edit)).toMatchObject(plain);
  expect((await cli.run(['tickets', 'edit', ticketId, '--note', 'x'.repeat(201)])).code).toBe(2);
  expect((await cli.run(['tickets', 'edit', ticketId, '--attention', 'maybe'])).code).toBe(2);
});

test('a list says what is written on each ticket, and --reference names the column of the order', async () => {
  await using cli = new CliFolder();
  await cli.json(['events', 'create', '--name', 'Pool']);
  const rows = ['firstName,Bestellnummer,Notiz,Achtung', 'Bob,A-2,,', 'Ada,A-1,"Row 7, 12",ja'];
  writeFileSync(join(cli.path, 'list.csv'), rows.join('\n'));
  const mint = ['mint', '--event', 'Pool', '--from-csv', 'list.csv', '--reference'];
  await cli.json([...mint, 'Bestellnummer']);
  const tickets: { reference: string }[] = await cli.json(['tickets', 'list']);
  // Both were made in the same millisecond or not.
  const [ada, bob] = tickets.sort((a, b) => a.reference.localeCompare(b.reference));
  expect(ada).toMatchObject({ reference: 'A-1', note: 'Row 7, 12', attention: true });
  expect(bob).toMatchObject({ reference: 'A-2', note: null, attention: false });
  expect((await cli.run([...mint, 'Bestellnummer', '--note', 'all'])).err).toContain('--note');
});

test('tickets are listed, cancelled, reinstated and exported by their reference, all of them and no others', async () => {
  await using cli = new CliFolder();
  await cli.json(['events', 'create', '--name', 'Pool']);
  for (const reference of ['A-1', 'A-1', 'A-11'])
    await cli.json(['mint', '--event', 'Pool', '--reference', reference]);
  expect(await cli.json(['tickets', 'list', '--reference', 'A-1'])).toHaveLength(2);
  expect(await cli.json(['tickets', 'list', '--search', 'a-1'])).toHaveLength(3);
  const cancel = ['tickets', 'cancel', '--reference'];
  expect((await cli.run([...cancel, 'A-1'])).code).toBe(2);
  expect(await cli.json([...cancel, 'A-1', '--yes'])).toEqual({ cancelled: 2, kept: 0 });
  const states = (await cli.json(['tickets', 'list'])).map((one: { state: string }) => one.state);
  expect(states).toEqual(['cancelled', 'cancelled', 'valid']);
  const reinstate = ['tickets', 'reinstate', '--reference', 'A-1'];
  expect((await cli.run(reinstate)).code).toBe(2);
  expect(await cli.json([...reinstate, '--yes'])).toEqual({ reinstated: 2, kept: 0 });
  expect(await cli.json(['tickets', 'list', '--state', 'valid'])).toHaveLength(3);
  const { out } = await cli.run(['tickets', 'export', '--reference', 'A-1', '--format', 'jsonl']);
  expect(out.match(/"reference":"A-1"/gu)).toHaveLength(2);
  expect(out.trim().split('\n')).toHaveLength(2);
  expect((await cli.run([...cancel, 'B-1', '--yes'])).code).not.toBe(0);
});

test('a reference that several organisations have cancels nothing without an event', async () => {
  await using cli = new CliFolder();
  for (const name of ['North', 'South']) {
    await cli.json(['organisations', 'create', '--name', name]);
    await cli.json(['events', 'create', '--name', `${name} pool`, '--organisation', name]);
    await cli.json(['mint', '--event', `${name} pool`, '--reference', 'A-1']);
  }
  const cancel = ['tickets', 'cancel', '--reference', 'A-1', '--yes'];
  const refused = await cli.run(cancel);
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.err).toContain('Several organisations');
  expect(await cli.json([...cancel, '--event', 'North pool'])).toEqual({ cancelled: 1, kept: 0 });
});
