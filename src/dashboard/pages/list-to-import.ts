import { useState } from 'react';
import type { WorksheetList } from '../api/http.ts';
import { type ListChoices, recalledChoices, rememberChoices } from '../api/list-choices.ts';
import { hasTicketIds, type ListHead, readListHead } from '../api/list-head.ts';
import { useEventChoices } from '../api/lists.ts';
import { isWorkbook, readWorkbook } from '../api/workbook.ts';
import type { Mapping } from '../components/column-mapping.tsx';
import { pageZone } from '../i18n/formats.ts';
import type { Kinds } from './kind-mapping.tsx';
import { NEW_TICKET } from './new-tickets.tsx';
import { columnsAndCancelled, useShop } from './shop-list.tsx';

/** The endings of lists with a JSON object in each line. */
const JSON_LINES = /\.(?:jsonl|ndjson)$/i;

const USUAL_CHOICES: ListChoices = {
  event: '',
  update: false,
  uniqueReference: false,
  uses: NEW_TICKET.uses,
};

/** A chosen file, how it is read, and the request for it. */
export function useList() {
  const [file, setFile] = useState<File | null>(null);
  const [head, setHead] = useState<ListHead>();
  const workbook = useWorkbook();
  const meanings = useMeanings();
  const { mapping, kinds } = meanings;
  const [before] = useState(() => recalledChoices(USUAL_CHOICES));
  const [uses, setUses] = useState(before.uses);
  const known = useKnown(before);
  const { skipExisting, uniqueReference } = known;
  const shop = useShop(before);
  const ofEvent = useChosenEvent(before);
  const { event } = ofEvent;
  const isJson = file !== null && JSON_LINES.test(file.name);
  const existing = isJson || hasIds(head, mapping);
  const hasCards = Object.values(kinds).includes('multi');
  const route = existing ? ('POST /tickets/import' as const) : ('POST /tickets/from-list' as const);
  const input = {
    ...readingOf(head, kinds),
    uniqueReference,
    ...(existing
      ? { columns: jsonOf(mapping), format: isJson ? 'jsonl' : 'csv', skipExisting }
      : { ...shopInput(mapping, shop), event, uses: hasCards ? uses : undefined }),
    file: file && typedList(file, isJson),
  };
  const choose = async (chosen: File | null, worksheet?: string) => {
    meanings.setMapping({});
    meanings.setKinds({});
    const list = await workbook.listOf(chosen, worksheet);
    setFile(list);
    setHead(list && !JSON_LINES.test(list.name) ? await readListHead(list) : undefined);
  };
  return {
    file,
    head,
    ...workbook,
    isJson,
    ...meanings,
    hasCards,
    uses,
    existing,
    ...known,
    shop,
    ...ofEvent,
    route,
    input,
    keepChoices: () => rememberChoices({ event, update: shop.update, uniqueReference, uses }),
    choose,
    setUses,
    reread: async (encoding: ListHead['encoding']) => {
      if (file) setHead(await readListHead(file, encoding));
    },
  };
}

/** The event of new tickets: the one of the list before, as long as it is there. */
function useChosenEvent(before: Pick<ListChoices, 'event'>) {
  const events = useEventChoices();
  const [chosen, setEvent] = useState(before.event);
  const isThere = events.some(({ value }) => value === chosen);
  return { events, event: isThere ? chosen : (events[0]?.value ?? ''), setEvent };
}

/** What happens to rows of tickets that are there. */
function useKnown(before: Pick<ListChoices, 'uniqueReference'>) {
  const [skipExisting, setSkipExisting] = useState(false);
  const [uniqueReference, setUniqueReference] = useState(before.uniqueReference);
  return { skipExisting, uniqueReference, setSkipExisting, setUniqueReference };
}

/** What the headings and the types of the file are here. */
function useMeanings() {
  const [mapping, setMapping] = useState<Mapping>({});
  const [kinds, setKinds] = useState<Kinds>({});
  return { mapping, kinds, setMapping, setKinds };
}

/** A chosen workbook becomes a list of one of its sheets, which the server reads. */
function useWorkbook() {
  const [source, setSource] = useState<File | null>(null);
  const [workbook, setWorkbook] = useState<WorksheetList>();
  const [failure, setFailure] = useState<Error>();
  const listOf = async (chosen: File | null, worksheet?: string): Promise<File | null> => {
    setFailure(undefined);
    setWorkbook(undefined);
    setSource(chosen);
    if (!chosen || !(await isWorkbook(chosen))) return chosen;
    try {
      const read = await readWorkbook(chosen, worksheet);
      setWorkbook(read);
      return new File([read.csv], chosen.name.replace(/\.xlsx$/iu, '.csv'));
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      setFailure(error);
      return null;
    }
  };
  return { source, workbook, failure, listOf };
}

/** How the server is to read the list. */
function readingOf(head: ListHead | undefined, kinds: Kinds) {
  return { timeZone: pageZone(), encoding: head?.encoding, types: jsonOf(kinds) };
}

/** What the columns of a shop's list say, and whether its changes are taken over. */
function shopInput(mapping: Mapping, { map, words, update }: ReturnType<typeof useShop>) {
  const { columns, cancelled } = columnsAndCancelled(mapping, words);
  return {
    columns: jsonOf(columns),
    cancelled: jsonOf(cancelled),
    map: map === '' ? undefined : map,
    update,
  };
}

/** The list with the type of its content: browsers call a CSV file whatever the machine's programs call it. */
export function typedList(content: BlobPart, isJson: boolean): Blob {
  return new Blob([content], { type: isJson ? 'application/x-ndjson' : 'text/csv' });
}

function jsonOf(choices: object): string | undefined {
  return Object.keys(choices).length > 0 ? JSON.stringify(choices) : undefined;
}

function hasIds(head: ListHead | undefined, mapping: Mapping): boolean {
  const unmapped = head?.headings.filter((heading) => !(heading in mapping)) ?? [];
  return hasTicketIds(unmapped) || Object.values(mapping).includes('ticketId');
}

export type List = ReturnType<typeof useList>;
