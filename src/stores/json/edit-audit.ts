import { basename } from 'node:path';
import type { NewAuditLogEntry } from '../../core/administrative-records.ts';
import type { EventRecord, Organisation } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { StoredKey } from '../transfer/records.ts';
import { LISTS, type StoreContent } from './document.ts';
import type { Edit } from './edits.ts';

/** The author in the audit log of what somebody changed in a document: the file does not say who it was. */
const BY_DOCUMENT = 'document';

/**
 * The audit entry of all that was taken over from a document at once. It belongs to the organisation whose records were edited, and to the store
 * as a whole where there are several.
 * @param contents the records before and after, to find the organisation of a ticket
 */
export function auditEntryOf(
  path: string,
  edits: readonly Edit[],
  contents: readonly StoreContent[],
): NewAuditLogEntry {
  const ownerOfEvent = new Map(
    contents.flatMap(({ events }) => events.map((event) => [event.id, event.organisationId])),
  );
  const owners = new Set(edits.map((edit) => ownerOf(edit, ownerOfEvent)));
  const [owner = null] = owners;
  const counts = LISTS.map((list) => [list, edits.filter((edit) => edit.list === list).length]);
  return {
    at: Date.now(),
    organisationId: owners.size === 1 ? owner : null,
    accountId: null,
    by: BY_DOCUMENT,
    act: 'document.edit',
    subject: basename(path),
    details: Object.fromEntries(counts.filter(([, count]) => count !== 0)),
  };
}

function ownerOf(
  { list, before, after }: Edit,
  ownerOfEvent: ReadonlyMap<string, string>,
): string | null {
  const record = after ?? before;
  switch (list) {
    case 'organisations':
      return (record as Organisation).id;
    case 'events':
      return (record as EventRecord).organisationId;
    case 'keys':
      return (record as StoredKey).record.organisationId;
    case 'tickets':
      return ownerOfEvent.get((record as Ticket).eventId) ?? null;
    case 'administrative': {
      const { value } = record as { value: unknown };
      const { organisationId } = (value ?? {}) as { organisationId?: string | null };
      return organisationId ?? null;
    }
  }
}
