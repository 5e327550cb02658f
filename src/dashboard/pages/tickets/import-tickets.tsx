import { Alert, Checkbox, FileInput, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { queryOf } from '../../api/http.ts';
import { useEvents } from '../../api/lists.ts';
import type { TicketWithCode } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { viewersZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { ColumnMapping, type Mapping } from './column-mapping.tsx';
import { hasTicketIds, type ListHead, readListHead } from './list-head.ts';

interface ImportTicketsProps {
  readonly onClose: () => void;
  readonly onCreated: (tickets: readonly TicketWithCode[]) => void;
}

interface Answer {
  readonly imported?: number;
  readonly existing?: number;
  readonly items?: readonly TicketWithCode[];
}

const JSON_LINES = /\.(?:jsonl|ndjson)$/i;

/** Tickets from a file, new ones or existing ones: all of it or, when a line is wrong, nothing. */
export function ImportTickets({ onClose, onCreated }: ImportTicketsProps) {
  const { tickets, general, lists } = useTexts();
  const list = useList();
  const bring = useChange<Answer>('tickets', 'events');
  const done = bring.data;
  const submit = () => {
    if (done) return onClose();
    if (!list.file) return;
    bring.mutate(
      { method: 'POST', path: list.path, body: list.body },
      { onSuccess: ({ items }) => items && onCreated(items) },
    );
  };
  return (
    <FormModal
      title={tickets.importTitle}
      submit={done ? general.close : tickets.import}
      change={bring}
      onClose={onClose}
      onSubmit={submit}
    >
      <FileInput
        label={tickets.importFile}
        description={tickets.importHelp}
        accept=".csv,.jsonl,.ndjson,text/csv"
        required
        clearable
        clearButtonProps={{ 'aria-label': general.clearFilter }}
        value={list.file}
        onChange={list.choose}
      />
      {list.head && <ListFields list={list} head={list.head} />}
      {done?.imported !== undefined && (
        <Alert color="green" role="status">
          {tickets.imported(done.imported)} {done.existing ? lists.skipped(done.existing) : null}
        </Alert>
      )}
    </FormModal>
  );
}

/** A chosen file, how it is read, and the request for it. */
function useList() {
  const events = useEvents().data?.items ?? [];
  const [file, setFile] = useState<File | null>(null);
  const [head, setHead] = useState<ListHead>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [skipExisting, setSkipExisting] = useState(false);
  const [chosenEvent, setEvent] = useState('');
  const event = chosenEvent || (events[0]?.id ?? '');
  const isJson = file !== null && JSON_LINES.test(file.name);
  const existing = isJson || hasIds(head, mapping);
  const columns = Object.keys(mapping).length > 0 ? JSON.stringify(mapping) : undefined;
  const reading = { timeZone: viewersZone(), encoding: head?.encoding, columns };
  const format = isJson ? 'jsonl' : 'csv';
  const path = existing
    ? `/tickets/import${queryOf({ format, skipExisting: String(skipExisting), ...reading })}`
    : `/tickets/from-list${queryOf({ event, ...reading })}`;
  const choose = async (chosen: File | null) => {
    setFile(chosen);
    setMapping({});
    setHead(chosen && !JSON_LINES.test(chosen.name) ? await readListHead(chosen) : undefined);
  };
  // Browsers call a CSV file whatever the machine's programs call it.
  const body = file && new Blob([file], { type: isJson ? 'application/x-ndjson' : 'text/csv' });
  return {
    ...{ file, head, mapping, existing, skipExisting, event, events, path, body },
    ...{ choose, setMapping, setSkipExisting, setEvent },
    reread: async (encoding: ListHead['encoding']) => {
      if (file) setHead(await readListHead(file, encoding));
    },
  };
}

function hasIds(head: ListHead | undefined, mapping: Mapping): boolean {
  const unmapped = head?.headings.filter((heading) => !(heading in mapping)) ?? [];
  return hasTicketIds(unmapped) || Object.values(mapping).includes('ticketId');
}

type List = ReturnType<typeof useList>;

function ListFields({ list, head }: { readonly list: List; readonly head: ListHead }) {
  const { lists, tickets } = useTexts();
  return (
    <>
      <NativeSelect
        label={lists.encoding}
        data={(['utf-8', 'latin1'] as const).map((value) => ({
          value,
          label: lists.encodings[value],
        }))}
        value={head.encoding}
        onChange={({ currentTarget: { value } }) =>
          list.reread(value === 'latin1' ? 'latin1' : 'utf-8')
        }
      />
      <p className="dimmed">{list.existing ? lists.existing : lists.newTickets}</p>
      {list.existing ? (
        <Checkbox
          label={lists.skipExisting}
          checked={list.skipExisting}
          onChange={(event) => list.setSkipExisting(event.currentTarget.checked)}
        />
      ) : (
        <NativeSelect
          label={tickets.event}
          data={list.events.map(({ id, name }) => ({ value: id, label: name }))}
          value={list.event}
          onChange={(event) => list.setEvent(event.currentTarget.value)}
        />
      )}
      <ColumnMapping
        head={head}
        existing={list.existing}
        mapping={list.mapping}
        onChange={list.setMapping}
      />
    </>
  );
}
