import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { fieldsOf } from '../../src/core/ticket-field-values.ts';
import {
  fieldsThat,
  TICKET_FIELD_NAMES,
  type TicketFieldValues,
} from '../../src/core/ticket-fields.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { ENGINES, TestStore } from '../support/stores.ts';
import { A_FIELD_OF_EACH, writtenFields } from '../support/ticket-fields.ts';

const MARK = 'quillfeather';

describe.each(ENGINES)('%s', (engine) => {
  test('what is written on a ticket is stored, changed, kept and taken back, each by itself', async () => {
    await using gate = await TestStore.open(engine);
    const { store } = gate;
    const { id } = await gate.mint(A_FIELD_OF_EACH);
    const { id: bare } = await gate.mint({});
    const found = async (one = id) => fieldsOf((await store.findTicket(one)) ?? {});
    expect(await found()).toEqual(A_FIELD_OF_EACH);
    expect(await found(bare)).toEqual({});

    await store.editTicket(id, { usesAllowed: 1 }, AN_AUDIT_ENTRY);
    expect(await found()).toEqual(A_FIELD_OF_EACH);
    const left: Record<string, unknown> = { ...A_FIELD_OF_EACH };
    for (const name of TICKET_FIELD_NAMES) {
      await store.editTicket(bare, { [name]: A_FIELD_OF_EACH[name] }, AN_AUDIT_ENTRY);
      expect(await found(bare)).toHaveProperty(name, A_FIELD_OF_EACH[name]);
      await store.editTicket(id, { [name]: null }, AN_AUDIT_ENTRY);
      delete left[name];
      expect(await found()).toEqual(left);
    }
    const [entry] = await store.readAuditLog({ limit: 1 });
    expect(entry?.details).toHaveProperty('before');
  });

  test('a replacement has what was written on the lost ticket', async () => {
    await using gate = await TestStore.open(engine);
    const { id, eventId } = await gate.mint(A_FIELD_OF_EACH);
    const newId = newTicket({ kind: 'single', eventId }, 1, randomBytes).id;
    const made = await gate.store.replaceTicket(id, newId, AN_AUDIT_ENTRY);
    expect(fieldsOf(made)).toEqual(A_FIELD_OF_EACH);
    expect(fieldsOf((await gate.store.findTicket(newId)) ?? {})).toEqual(A_FIELD_OF_EACH);
  });

  test('a search finds what is to be searched, and no other field', async () => {
    await using gate = await TestStore.open(engine);
    const ids = new Map<string, string>();
    for (const name of fieldsThat(({ kind }) => kind === 'text'))
      ids.set(name, (await gate.mint({ [name]: `Shop ${name} ÄB-4711/${name}` })).id);
    const { id: edited } = await gate.mint({});
    await gate.store.editTicket(edited, { reference: 'Later-9' }, AN_AUDIT_ENTRY);
    const found = async (search: string) =>
      (await gate.store.listTickets({ search, limit: 10 })).map(({ id }) => id);
    const searched = fieldsThat(({ isSearched }) => isSearched).map((name) => ids.get(name));
    expect(await found('aeb-4711')).toEqual(searched);
    expect(await found('ÄB-4711')).toEqual(searched);
    expect(await found('later-9')).toEqual([edited]);
  });

  test('a search for the number of an order finds all its tickets, whose references have the position behind it', async () => {
    await using gate = await TestStore.open(engine);
    const ids: string[] = [];
    for (const reference of ['ABC12-1', 'ABC12-2', 'ABC12/10'])
      ids.push((await gate.mint({ reference })).id);
    await gate.mint({ reference: 'ABD12-1' });
    const asked = { eventIds: [gate.eventId], limit: 10, searchMax: 100 };
    for (const search of ['ABC12', 'abc12', 'ABC12-', 'ABC1']) {
      const { tickets } = await gate.store.searchTickets({ ...asked, search });
      expect(
        tickets.map(({ id }) => id),
        search,
      ).toEqual(ids);
    }
  });

  test('tickets are listed by their whole reference, letter for letter', async () => {
    await using gate = await TestStore.open(engine);
    const { id: first } = await gate.mint({ reference: 'R-1' });
    await gate.mint({ reference: 'R-10' });
    await gate.mint({ reference: 'r-1' });
    const { id: last } = await gate.mint({ reference: 'R-1' });
    const search = { reference: 'R-1', limit: 10 };
    const page = await gate.store.searchTickets({
      ...search,
      eventIds: [gate.eventId],
      searchMax: 100,
    });
    const listed = await gate.store.listTickets(search);
    for (const tickets of [page.tickets, listed])
      expect(tickets.map(({ id }) => id)).toEqual([first, last]);
  });

  test('no scan, and no answer that is stored for a repeat, has what is written on a ticket', async () => {
    await using gate = await TestStore.open(engine);
    const marked: TicketFieldValues = writtenFields((name) => `${MARK} ${name}`);
    const { id } = await gate.mint({ ...marked, kind: 'multi', uses: 2 });
    const retry = { name: 'first', bodyHash: 'hash', expiresAt: gate.clock.now() + 1000 };
    const outcomes = await gate.scan(
      gate.request(id, { operation: 'validate' }),
      gate.request(id, { retry }),
      gate.request(id, { retry }),
      gate.request(id),
      gate.request(id),
    );
    expect(JSON.stringify(outcomes)).not.toMatch(
      new RegExp(`${MARK}|${TICKET_FIELD_NAMES.join('|')}`),
    );
    const log = await gate.store.readLog({ limit: 100 });
    expect(JSON.stringify(log)).not.toContain(MARK);
  });
});
