import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fieldsThat } from '../../src/core/ticket-fields.ts';
import { InProcess } from '../support/in-process.ts';

const HOLDER = ['--first-name', 'Zyxadora', '--last-name', 'Quillfeather'];

/** The files that still have a name, in any case. */
const filesWith = (folder: InProcess, name: string) =>
  readdirSync(folder.path).filter((file) =>
    readFileSync(join(folder.path, file), 'latin1').toLowerCase().includes(name.toLowerCase()),
  );

test.each(['sqlite:./gate.db', 'json:./gate.json'])(
  'a guest is erased from %s, also where the ticket is deleted already',
  async (url) => {
    await using folder = new InProcess();
    const store = ['--store', url];
    const one = ['--event', 'Pool', '--type', 'single', ...store];
    await folder.json(['events', 'create', '--name', 'Pool', ...store]);
    const [kept] = await folder.json(['mint', ...one, ...HOLDER]);
    const [deleted] = await folder.json(['mint', ...one]);
    await folder.json(['tickets', 'edit', deleted.ticketId, ...HOLDER, ...store]);
    await folder.json(['tickets', 'delete', deleted.ticketId, '--yes', ...store]);
    expect(filesWith(folder, 'Quillfeather')).not.toEqual([]);

    const erase = ['privacy', 'erase', '--yes', ...store];
    expect(await folder.json([...erase, kept.ticketId, deleted.code])).toEqual({
      tickets: [kept.ticketId, deleted.ticketId],
      erased: 1,
      purged: true,
    });

    expect(filesWith(folder, 'Quillfeather')).toEqual([]);
    expect(await folder.json(['tickets', 'list', '--search', 'quill', ...store])).toEqual([]);
  },
);

test('--name erases holders with that name only', async () => {
  await using folder = new InProcess();
  await folder.json(['events', 'create', '--name', 'Pool']);
  const one = ['mint', '--event', 'Pool', '--type', 'single'];
  const [ada] = await folder.json([...one, '--first-name', 'Ada', '--last-name', 'Lovelace']);
  const letters = ada.ticketId.slice(-4);
  const [named] = await folder.json([...one, '--first-name', letters, '--last-name', 'Byron']);
  const erase = ['privacy', 'erase', '--yes', '--name'];

  // The letters are in the id of the other ticket too.
  expect(await folder.json([...erase, letters])).toMatchObject({ tickets: [named.ticketId] });
  expect(await folder.json(['tickets', 'show', ada.ticketId])).toMatchObject({
    holder: { firstName: 'Ada', lastName: 'Lovelace' },
  });
});

test('with a lost ticket its replacement forgets the guest, but not one that was given to somebody else', async () => {
  await using folder = new InProcess();
  await folder.json(['events', 'create', '--name', 'Pool']);
  const mint = ['mint', '--event', 'Pool', '--type', 'multi', '--uses', '3', ...HOLDER];
  const [kept] = await folder.json(mint);
  const [passedOn] = await folder.json(mint);
  const made = async (id: string) => (await folder.json(['tickets', 'replace', id])).ticketId;
  const newer = await made(await made(kept.ticketId));
  const others = await made(passedOn.ticketId);
  await folder.run(['tickets', 'edit', others, '--first-name', 'Bo', '--last-name', 'Li']);
  const erase = ['privacy', 'erase', '--yes'];

  expect(await folder.json([...erase, newer])).toMatchObject({ erased: 3 });
  expect(await folder.json([...erase, passedOn.ticketId])).toMatchObject({ erased: 1 });

  expect(await folder.json(['tickets', 'list', '--search', 'quill'])).toEqual([]);
  expect(await folder.json(['tickets', 'show', others])).toMatchObject({
    holder: { firstName: 'Bo', lastName: 'Li' },
  });
});

test.each([
  ['Love\u200blace', 'Ada Lovelace'],
  ['Lovelace', 'Ada Love\u00adlace'],
  ['Lövelace', 'Ada Loevelace'],
])('--name finds %j by %j: nobody sees the difference', async (lastName, name) => {
  await using folder = new InProcess();
  await folder.json(['events', 'create', '--name', 'Pool']);
  const holder = ['--first-name', 'Ada', '--last-name', lastName];
  const [ticket] = await folder.json(['mint', '--event', 'Pool', '--type', 'single', ...holder]);
  const erased = await folder.json(['privacy', 'erase', '--yes', '--name', name]);
  expect(erased).toMatchObject({ tickets: [ticket.ticketId], erased: 1 });
});

test('erase says all that it takes, also what was written on the ticket', async () => {
  await using folder = new InProcess();
  await folder.json(['events', 'create', '--name', 'Pool']);
  const written = ['--reference', 'O-1', '--note', 'late', ...HOLDER];
  const [{ ticketId }] = await folder.json(['mint', '--event', 'Pool', ...written]);
  const { out } = await folder.run(['privacy', 'erase', ticketId, '--yes']);
  for (const what of ["the holder's name", ...fieldsThat(({ isPersonal }) => isPersonal)])
    expect(out).toContain(what);
  expect(await folder.json(['tickets', 'show', ticketId])).toMatchObject({
    holder: null,
    reference: null,
    note: null,
  });
});
