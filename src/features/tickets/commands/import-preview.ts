import type { EventRecord } from '../../../core/records.ts';
import { note } from '../../../terminal/io.ts';
import type { TicketRecord } from '../../../tickets/lists/ticket-list.ts';
import { exportLine } from '../../../tickets/lists/write-lists.ts';
import type { TicketFinder } from '../../../tickets/making/import-tickets.ts';
import type { DataAccess } from '../../data-access.ts';
import { knownAmong } from '../list-update.ts';
import { ListPreview } from '../routes/list-reading.ts';

/** Tickets that are looked for at once. */
const LOOKED_AT_ONCE = 1000;

interface Previewed {
  readonly records: readonly TicketRecord[];
  /** The events of the store. */
  readonly events: readonly EventRecord[];
  /** Looks for tickets that are skipped because they are there; undefined where none is. */
  readonly finder: TicketFinder | undefined;
  /** Tickets whose reference is known are left out. */
  readonly isUnique: boolean;
  readonly skippedFaults: number;
  readonly json: boolean | undefined;
}

/** Says what an import of tickets with ids would store, for `--dry-run`. */
export async function tellImport(
  access: DataAccess,
  { records, events, finder, isUnique, skippedFaults, json }: Previewed,
): Promise<void> {
  let existing = 0;
  let known = 0;
  for (let from = 0; from < records.length; from += LOOKED_AT_ONCE) {
    const some = records.slice(from, from + LOOKED_AT_ONCE);
    const ids = some.map(({ ticket }) => ticket.id);
    const there = new Set((await finder?.findTickets(ids))?.map(({ id }) => id));
    existing += there.size;
    const others = some.filter(({ ticket }) => !there.has(ticket.id));
    if (isUnique && others.length > 0) known += await numberKnown(access, others, events);
  }
  const { io } = access;
  const made = records.length - existing - known;
  if (json) {
    io.out(JSON.stringify({ new: made, existing, known, skippedFaults }, null, 2));
    return;
  }
  const parts = [
    `New tickets: ${made}`,
    ...(existing > 0 ? [`already there: ${existing}`] : []),
    ...(known > 0 ? [`known already: ${known}`] : []),
  ];
  note(io, `${parts.join(', ')}.`);
  note(io, 'Nothing was changed (--dry-run).');
}

/** How many of the tickets have a reference that is known. */
async function numberKnown(
  { local, client }: DataAccess,
  records: readonly TicketRecord[],
  events: readonly EventRecord[],
): Promise<number> {
  if (local) {
    let number = 0;
    const owners = new Map(events.map(({ id, organisationId }) => [id, organisationId]));
    const byOwner = Map.groupBy(records, ({ ticket }) => owners.get(ticket.eventId));
    for (const [owner, own] of byOwner) {
      // An event that is created now has no tickets yet.
      if (owner === undefined) continue;
      const references = own.flatMap(({ ticket }) => ticket.reference ?? []);
      const known = await knownAmong(local.store, owner, references);
      number += references.filter((reference) => known.has(reference)).length;
    }
    return number;
  }
  const lines = records.map(({ ticket }) =>
    exportLine({ ticket, eventName: '', now: ticket.createdAt }),
  );
  const path = '/tickets/import?format=jsonl&uniqueReference=true&preview=true';
  const preview = await client?.postLines(path, ListPreview, lines.join(''));
  return preview?.known ?? 0;
}
