import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import {
  createRecord,
  deleteEvent,
  deleteOrganisation,
  putAdministrative,
} from '../support/records.ts';
import { ENGINES, statusOfOutcome, TestStore } from '../support/stores.ts';

const ROUNDS = 20;

function fulfilled(results: Record<string, PromiseSettledResult<unknown>>): string[] {
  return Object.keys(results).filter((name) => results[name]?.status === 'fulfilled');
}

describe.each(ENGINES)('two processes on %s', (engine) => {
  test('an event is deleted, or a ticket is made in it, never both', async () => {
    await using gate = await TestStore.open(engine);
    const others = [gate.store, await gate.another()] as const;
    const { id: organisationId } = await gate.administration.organisations.find(undefined);
    const done: string[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const event = { id: `race${round}zz`, organisationId, name: `${round}`, createdAt: 0 };
      await createRecord(gate.store, 'event', { ...event, archivedAt: null });
      const [one, other] = round % 2 === 0 ? others : ([others[1], others[0]] as const);
      const ticket = newTicket({ kind: 'single', eventId: event.id }, 0, randomBytes);
      const [made, deleted] = await Promise.allSettled([
        one.insertTickets([ticket], AN_AUDIT_ENTRY),
        deleteEvent(other, event.id, 0, AN_AUDIT_ENTRY),
      ]);
      done.push(fulfilled({ made, deleted }));
    }
    expect(done.filter(({ length }) => length !== 1)).toEqual([]);
    expect(await gate.problems()).toEqual([]);
  });

  test('an organisation is deleted, or gets an account or a webhook, never both', async () => {
    await using gate = await TestStore.open(engine);
    const other = await gate.another();
    const done: string[][] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const { id } = await gate.administration.organisations.create(`${round}`);
      const kind = round % 2 === 0 ? 'account' : 'webhook';
      const value = { id: `${kind}_${round}`, organisationId: id };
      const [written, deleted] = await Promise.allSettled([
        putAdministrative(gate.store, kind, value.id, value),
        deleteOrganisation(other, id, 0, AN_AUDIT_ENTRY),
      ]);
      done.push(fulfilled({ written, deleted }));
      // What was written before goes with its organisation; an account keeps it.
      const left = await gate.store.read(kind, value.id);
      expect(deleted.status === 'fulfilled' && left !== undefined).toBe(false);
    }
    expect(done.filter(({ length }) => length === 0)).toEqual([]);
  });
});

describe.each(ENGINES)('%s', (engine) => {
  test('a ticket without an event is admitted nowhere, and audit names it', async () => {
    await using gate = await TestStore.open(engine, 'empty');
    await using source = await TestStore.open('memory');
    const card = await source.mint({ kind: 'multi', uses: 5 });
    const copy = { source: 'test', next: null };
    await source.store.beginSnapshot();
    for (const section of ['organisations', 'keys', 'tickets'] as const) {
      const page = await source.store.readSnapshot(section, null, 9);
      await gate.store.importRecords(page, { ...copy, section });
    }
    await gate.store.endImport();

    const asked = ['validate', 'consume'] as const;
    const requests = asked.map((operation) => source.request(card.id, { operation }));
    const outcomes = await gate.scan(...requests);

    expect(outcomes.map(statusOfOutcome)).toEqual(['not_found', 'not_found']);
    expect(await gate.problems()).toEqual([
      `1 ticket of event ${source.eventId}, which does not exist, such as ${card.id}. No scan admits them.`,
    ]);
    expect((await gate.store.findTicket(card.id))?.usesConsumed).toBe(0);
  });
});
