import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { hasPersonalTexts, isPersonal } from '../../src/core/personal-texts.ts';
import type { Ticket } from '../../src/core/ticket.ts';
import { newTicket } from '../../src/core/ticket-changes.ts';
import { fieldsThat } from '../../src/core/ticket-fields.ts';
import { makeBatchId } from '../../src/core/ticket-id.ts';
import { TICKET_MEMBER_NAMES } from '../../src/core/ticket-members.ts';
import { COMMAND_LINE } from '../../src/features/actor.ts';
import { finishDeletions } from '../../src/features/events/deletions.ts';
import { applyRetention } from '../../src/features/privacy/rules.ts';
import { TicketAdministration } from '../../src/features/tickets/rules.ts';
import { STORED_MEMBERS } from '../../src/stores/ticket-row.ts';
import { SECTIONS } from '../../src/stores/transfer/records.ts';
import { AN_AUDIT_ENTRY } from '../support/an-audit-entry.ts';
import { execute } from '../support/postgres/schema.ts';
import { ENGINES, type Engine, TestStore } from '../support/stores.ts';

type Member = keyof Ticket;

const DAY_MS = 86_400_000;
const MARK = 'quillfeather';
const TEXTS = STORED_MEMBERS.filter(({ columns }) =>
  columns.some(({ type }) => type === 'text' || type === 'id'),
).map(({ member }) => member);

/** Follows from the identifier, or is counted beside the tickets. */
const WITHOUT_COLUMN: readonly Member[] = ['eventId', 'usesConsumed', 'lastConsumedAt'];
/** The program makes them: nobody can type a name there. A text that people type is personal. */
const MADE_TEXTS: readonly Member[] = ['id', 'ticketType', 'batch'];

test('every member of a ticket is stored, and every text is personal unless the program makes it', () => {
  const stored = STORED_MEMBERS.map(({ member }) => member);
  expect([...new Set([...stored, ...WITHOUT_COLUMN])].sort()).toEqual(
    [...TICKET_MEMBER_NAMES].sort(),
  );
  expect(TEXTS.filter((member) => !isPersonal(member))).toEqual(MADE_TEXTS);
});

/** Every personal text that a ticket can have, with a mark. @param when tells the marks of two moments apart */
function marked(when: string): Pick<Ticket, 'holder'> {
  const told = TEXTS.filter((member) => isPersonal(member) && member !== 'holder').map(
    (member) => [member, `${MARK} ${when} ${member}`] as const,
  );
  const flags = fieldsThat(({ kind }) => kind === 'flag').map((name) => [name, true] as const);
  const holder = { firstName: `${MARK} ${when} first`, lastName: `${MARK} ${when} last` };
  return { ...Object.fromEntries([...told, ...flags]), holder };
}

/** Where a store has the mark: sections of a snapshot, files byte by byte, tables as the server has them. */
async function placesOfMark(gate: TestStore, engine: Engine): Promise<string[]> {
  const places: string[] = [];
  await gate.store.beginSnapshot();
  for (const section of SECTIONS) {
    let after: string | null = null;
    do {
      const page = await gate.store.readSnapshot(section, after, 100);
      if (hasMark(JSON.stringify(page.records))) places.push(section);
      after = page.next;
    } while (after !== null);
  }
  await gate.store.endSnapshot();
  for (const name of readdirSync(gate.folder))
    if (hasMark(readFileSync(join(gate.folder, name), 'latin1'))) places.push(`file ${name}`);
  if (engine === 'postgres') places.push(...(await tablesWithMark(gate.url)));
  return places;
}

const hasMark = (text: string) => text.toLowerCase().includes(MARK);

async function tablesWithMark(url: string): Promise<string[]> {
  const ofSchema = 'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()';
  const { rows } = await execute(ofSchema, url);
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await execute(
        `SELECT 1 FROM "${name}" AS one WHERE one::text ILIKE '%${MARK}%'`,
        url,
      );
      return rowCount === 0 ? [] : [`table ${name}`];
    }),
  );
  return found.flat();
}

/** What a guest leaves behind. */
interface Traces {
  readonly administration: TicketAdministration;
  readonly ids: readonly string[];
}

/** Does with marked tickets whatever can be done with a ticket: its texts are then wherever a store may have them. */
async function leaveTraces(gate: TestStore): Promise<Traces> {
  const { store, clock, eventId } = gate;
  const { id: organisationId } = await gate.administration.organisations.find(undefined);
  const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  const now = clock.now();
  const validUntil = now + DAY_MS;
  const aMarked = () => {
    const options = { kind: 'multi', uses: 3, eventId, validUntil } as const;
    const batch = makeBatchId(randomBytes);
    return { ...newTicket(options, now, randomBytes), ...marked('new'), batch };
  };
  const [used, imported, deleted] = [aMarked(), aMarked(), aMarked()];
  await administration.add({ id: eventId, organisationId }, [used, deleted]);
  await administration.import([{ ...imported, usesConsumed: 1 }], { existing: 'refuse' });
  for (const { id } of [used, imported, deleted]) await administration.edit(id, marked('edited'));
  for (const name of ['first', 'second', 'third', 'exhausted']) {
    const retry = { name, bodyHash: 'hash', expiresAt: now + 60 * DAY_MS };
    await gate.scan(gate.request(used.id, { retry }));
  }
  await administration.undo(2, `Ask ${MARK}`);
  await administration.cancel([used.id]);
  await administration.reinstate([used.id]);
  await administration.replace(used.id);
  await administration.delete([deleted.id]);
  return { administration, ids: [used.id, imported.id, deleted.id] };
}

/** Whatever forgets a guest. */
const WAYS: Readonly<Record<string, (gate: TestStore, traces: Traces) => Promise<unknown>>> = {
  'privacy erase': (_gate, { administration, ids }) => administration.eraseHolders(ids),
  '--keep-holders-days': async (gate, { administration, ids }) => {
    gate.clock.advance(40 * DAY_MS);
    await applyRetention(gate.store, gate.clock, { keepHoldersDays: 30 }, true);
    // Nothing tells when a ticket that was deleted would have ended.
    await administration.eraseHolders(ids.slice(2));
  },
  'the deletion of the event': async ({ store, clock, eventId: id }) => {
    const request = { what: 'event', id, name: 'Pool', timeZone: 'UTC', accounts: [] } as const;
    await store.beginDeletion({ ...request, ended: AN_AUDIT_ENTRY }, AN_AUDIT_ENTRY);
    await finishDeletions(store, clock);
  },
};

describe.each([...ENGINES, 'json'] as const)('%s', (engine) => {
  test.each(Object.keys(WAYS))('%s leaves no text of a guest anywhere', async (way) => {
    await using gate = await TestStore.open(engine);
    const traces = await leaveTraces(gate);
    const before = await placesOfMark(gate, engine);
    expect(before).toEqual(expect.arrayContaining(['tickets', 'log', 'answers', 'auditLog']));
    if (engine !== 'postgres') expect(before.join()).toContain('file ');
    if (engine === 'postgres') expect(before).toContain('table ticket');

    await WAYS[way]?.(gate, traces);
    await gate.store.purgeErased(true);

    expect(await placesOfMark(gate, engine)).toEqual([]);
    const left = await gate.store.findTickets(traces.ids);
    expect(left.filter(hasPersonalTexts)).toEqual([]);
    const scans = traces.ids.map((id) => gate.request(id, { operation: 'validate' }));
    expect(JSON.stringify(await gate.scan(...scans))).not.toContain(MARK);
    expect(await gate.problems()).toEqual([]);
    await gate.reopen();
    expect(await placesOfMark(gate, engine)).toEqual([]);
  });
});
