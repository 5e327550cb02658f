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
  expect(tickets).toHaveLength(1);
  const [{ stored, personal, until, scans, changes }] = tickets;
  expect(stored).toMatchObject({ ticketId: guest.ticketId, ...WRITTEN });
  expect(personal).toEqual(PERSONAL_MEMBERS);
  expect([until, scans]).toEqual([null, []]);
  const acts = changes.map(({ act }: { act: string }) => act);
  expect(acts).toEqual(['ticket.cancel', 'ticket.reinstate', 'ticket.edit']);
  expect(JSON.stringify(changes)).toContain('Zyxbyron');
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
