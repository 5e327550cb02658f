import { expect, test } from 'vitest';
import { storedMembers } from '../../src/core/guest-report.ts';
import { PERSONAL_MEMBERS } from '../../src/core/personal-texts.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { fieldsThat, TICKET_FIELDS } from '../../src/core/ticket-fields.ts';
import { InProcess } from '../support/in-process.ts';
import { A_FIELD_OF_EACH, writtenFields } from '../support/ticket-fields.ts';

const MARK = 'quillfeather';
const HOLDER = ['--first-name', 'Ada', '--last-name', 'Zyxbyron'];
const WRITTEN: Readonly<Record<string, unknown>> = writtenFields((name) => `${MARK} ${name}`);
const FIELDS = Object.entries(WRITTEN).flatMap(([name, value]) => [
  `--${name}`,
  value === true ? 'yes' : String(value),
]);

async function withGuests() {
  const folder = new InProcess();
  await folder.json(['events', 'create', '--name', 'Pool']);
  const mint = ['mint', '--event', 'Pool', '--type', 'single'];
  const [other] = await folder.json([...mint, '--first-name', 'Bo', '--reference', 'B-1']);
  const [guest] = await folder.json([...mint, ...HOLDER, ...FIELDS]);
  return { folder, guest, other };
}

test('a report has every member of a ticket that the one description calls personal, by itself', () => {
  const ticket = { holder: { firstName: 'Ada', lastName: '' }, ...A_FIELD_OF_EACH } as Ticket;
  const personal = storedMembers(ticket).filter(({ isPersonal }) => isPersonal);
  expect(personal.map(({ name }) => name)).toEqual(PERSONAL_MEMBERS);
  expect(PERSONAL_MEMBERS).toEqual(
    expect.arrayContaining(fieldsThat(({ isPersonal }) => isPersonal)),
  );
  for (const { label } of storedMembers(ticket)) expect(label).toHaveLength(2);
});

test('what is stored about a guest is told with scans and changes, and nothing about others', async () => {
  const { folder, guest, other } = await withGuests();
  await using _ = folder;
  const both = [guest.ticketId, other.ticketId];
  await folder.run(['tickets', 'cancel', ...both]);
  await folder.run(['tickets', 'reinstate', ...both]);
  await folder.run(['tickets', 'edit', guest.ticketId, '--last-name', 'Zyxlace']);

  const report = ['privacy', 'report', '--name', 'zyx'];
  const { tickets } = await folder.json(report);
  expect(tickets.map(({ present }: { present: boolean }) => present)).toEqual([true, false]);
  const [{ stored, personal, until, scans, changes }, earlier] = tickets;
  expect(stored).toMatchObject({ ticketId: guest.ticketId, ...WRITTEN });
  expect(personal).toEqual(PERSONAL_MEMBERS);
  expect([until, scans]).toEqual([null, []]);
  const actsOf = (list: { act: string }[]) => list.map(({ act }) => act);
  expect(actsOf(changes)).toEqual(['ticket.edit']);
  expect(actsOf(earlier.changes)).toEqual(['ticket.cancel', 'ticket.reinstate', 'ticket.edit']);
  expect(JSON.stringify(changes)).not.toContain('Zyxbyron');
  expect(earlier.stored.holder.lastName).toBe('Zyxbyron');
  const { out } = await folder.run(report);
  for (const name of fieldsThat(({ isPersonal }) => isPersonal))
    expect(out).toContain(`${TICKET_FIELDS[name].label[0]}: `);
  for (const value of Object.values(WRITTEN))
    if (value !== true) expect(out).toContain(String(value));
  for (const text of [out, JSON.stringify(tickets)]) {
    expect(text).not.toContain(other.ticketId);
    expect(text).not.toContain('"by"');
  }

  const byReference = ['privacy', 'report', '--reference', String(WRITTEN['reference'])];
  expect((await folder.json(byReference)).tickets).toHaveLength(1);
  expect(
    (await folder.json(['privacy', 'report', '--ticket', other.ticketId])).tickets,
  ).toHaveLength(1);
  expect((await folder.run(['privacy', 'report'])).code).toBe(2);
  expect((await folder.run([...report, '--reference', 'B-1'])).code).toBe(2);
});

test.each([
  ['privacy erase', (id: string) => ['privacy', 'erase', id, '--yes']],
  ['retention', () => ['privacy', 'apply', '--keep-holders-days', '1', '--yes']],
])('after %s a report tells nothing about the guest any more', async (_, forget) => {
  const { folder, guest } = await withGuests();
  await using __ = folder;
  const id = guest.ticketId;
  await folder.run(['tickets', 'edit', id, '--valid-until', '2020-01-01', '--time-zone', 'UTC']);
  const report = ['privacy', 'report', '--ticket', id];
  const kept = await folder.json([...report, '--keep-holders-days', '1']);
  expect(kept.tickets[0].until).toBe('2020-01-02T23:59:59.999Z');

  await folder.run(forget(id));

  const { tickets } = await folder.json(report);
  expect(tickets[0].personal).toEqual([]);
  const { out } = await folder.run(report);
  for (const text of [out, JSON.stringify(tickets)]) expect(text).not.toMatch(/Zyx|quillfeather/);
  expect(out).toContain('Nothing.');
});

const ANNA = /AnnaFirst|AnnaLast|AnnaNote|AnnaRef|AnnaReason/;
const BERT = /BertFirst|BertLast|BertNote|BertRef|BertReason/;

function editOf(guest: 'Anna' | 'Bert', id: string, more: readonly string[] = []): string[] {
  const texts = ['--note', `${guest}Note`, '--reference', `${guest}Ref`];
  const name = ['--first-name', `${guest}First`, '--last-name', `${guest}Last`];
  return ['tickets', 'edit', id, ...name, ...texts, ...more];
}

/** A ticket that was scanned, was given from Anna to Bert with all that is written on it, and was scanned again. */
async function passedOn() {
  const folder = new InProcess();
  await folder.json(['events', 'create', '--name', 'Pool']);
  const [{ ticketId: id }] = await folder.json(
    'mint --event Pool --type multi --uses 5 --first-name AnnaFirst --last-name AnnaLast --note AnnaOldNote',
  );
  return { folder, id };
}

const pause = () => new Promise((done) => setTimeout(done, 5));

/** The words and the JSON of one report. */
async function told(folder: InProcess, line: readonly string[]) {
  const { out, code } = await folder.run(['privacy', 'report', ...line]);
  expect(code).toBe(0);
  const { tickets } = await folder.json(['privacy', 'report', ...line]);
  return { out, tickets, all: `${out}${JSON.stringify(tickets)}` };
}

test('a report of a ticket that was passed on says nothing about the guest before', async () => {
  const { folder, id } = await passedOn();
  await using _ = folder;
  await folder.run(['tickets', 'edit', id, '--note', 'AnnaNote', '--reference', 'AnnaRef']);
  await pause();
  await folder.run(editOf('Bert', id, ['--attention', 'yes']));
  await folder.run(['tickets', 'edit', id, '--note', 'BertNote2']);

  for (const whose of [
    ['--ticket', id],
    ['--name', 'BertLast'],
    ['--reference', 'BertRef'],
  ]) {
    const { out, tickets, all } = await told(folder, whose);
    expect(all).not.toMatch(/Anna/);
    expect(out).toContain('name changed: from the name of another guest to BertFirst BertLast');
    expect(out).toContain('note changed: from BertNote to BertNote2');
    expect(out).not.toMatch(/[{}"]/);
    expect(tickets).toHaveLength(1);
    expect(tickets[0].changes).toMatchObject([
      { leftOut: ['before.holder', 'before.reference', 'before.note'] },
      { leftOut: [], details: { before: { note: 'BertNote' } } },
    ]);
    expect(tickets[0].present).toBe(true);
  }
});

test('a text that was written for the guest before is left out where it is replaced later', async () => {
  const { folder, id } = await passedOn();
  await using _ = folder;
  await folder.run(['tickets', 'edit', id, '--first-name', 'BertFirst', '--last-name', 'BertLast']);
  await folder.run(['tickets', 'edit', id, '--note', 'BertNote']);
  const { out, all } = await told(folder, ['--ticket', id]);
  expect(all).not.toMatch(/Anna/);
  expect(out).toContain('note changed: from what was written for another guest to BertNote');
});

test('a report by name finds who held a ticket earlier, with nothing about the present guest', async () => {
  const { folder, id } = await passedOn();
  await using _ = folder;
  await folder.run(['tickets', 'edit', id, '--note', 'AnnaNote', '--reference', 'AnnaRef']);
  await pause();
  await folder.run(editOf('Bert', id));
  await folder.run(['tickets', 'edit', id, '--note', 'BertNote2']);

  const { out, tickets, all } = await told(folder, ['--name', 'annalast']);
  expect(all).not.toMatch(BERT);
  expect(out).toContain(id);
  expect(out).toContain('Earlier holder: AnnaFirst AnnaLast');
  expect(out).toContain('note changed: from AnnaOldNote to AnnaNote');
  expect(out).toContain('name changed: from AnnaFirst AnnaLast to the name of another guest');
  const [{ stored, held, changes, present }] = tickets;
  expect(stored.holder).toEqual({ firstName: 'AnnaFirst', lastName: 'AnnaLast' });
  expect(present).toBe(false);
  expect(held).toEqual([{ from: expect.any(String), until: changes[1].at }]);
  expect(changes).toHaveLength(2);
  const refused = await folder.run(['privacy', 'report', '--name', 'Nobody']);
  expect(refused.err).toContain('No ticket has or had a holder with "Nobody" in the name.');
});

test('after an erasure, earlier names are not found any more', async () => {
  const { folder, id } = await passedOn();
  await using _ = folder;
  await folder.run(editOf('Bert', id));
  await folder.run(['privacy', 'erase', id, '--yes']);
  expect((await folder.run(['privacy', 'report', '--name', 'AnnaLast'])).code).toBe(2);
  const { all } = await told(folder, ['--ticket', id]);
  expect(all).not.toMatch(ANNA);
  expect(all).not.toMatch(BERT);
});
