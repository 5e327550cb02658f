import type { RecordPage, Section, StoreRecords } from '../transfer/records.ts';
import { DOCUMENT_FORMAT, isInDocument, type StoreContent } from './document.ts';

type ReadPage = (section: Section, after: string | null) => Promise<RecordPage>;

/** The content of a store's document. @param read reads pages of one state of the store */
export async function contentOf(read: ReadPage): Promise<StoreContent> {
  const organisations = await all('organisations', read);
  const events = await all('events', read);
  const keys = await all('keys', read);
  const administrative = (await all('administrative', read)).filter(isInDocument);
  const known = new Set(events.map(({ id }) => id));
  const tickets = await all('tickets', read);
  return {
    format: DOCUMENT_FORMAT,
    organisations,
    events,
    // The log may name a deleted key; nobody can edit it.
    keys: keys.filter(({ deletedAt }) => deletedAt === null),
    administrative: administrative.length > 0 ? administrative : undefined,
    // Tickets of an event that is being deleted are left out: for people they are gone.
    tickets: tickets
      .filter(({ eventId }) => known.has(eventId))
      .map(({ usesUnlogged: _, ...ticket }) => ticket),
  };
}

async function all<Name extends Section>(
  section: Name,
  read: ReadPage,
): Promise<StoreRecords[Name][]> {
  const records: StoreRecords[Name][] = [];
  let after: string | null = null;
  do {
    const page: RecordPage = await read(section, after);
    for (const record of page.records as readonly StoreRecords[Name][]) records.push(record);
    after = page.next;
  } while (after !== null);
  return records;
}
