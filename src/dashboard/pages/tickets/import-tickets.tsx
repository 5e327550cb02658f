import { Alert, Checkbox, FileInput, NativeSelect } from '@mantine/core';
import { useState } from 'react';
import { USES_MULTI_MAX, USES_MULTI_MIN } from '../../../core/limits.ts';
import { type LineFault, queryOf } from '../../api/http.ts';
import { offered, useEvents } from '../../api/lists.ts';
import type { TicketWithCode } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { pageZone } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { hasTicketIds, type ListHead, readListHead } from './list-head.ts';
import {
  columnsWith,
  faultsOf,
  KindMapping,
  type Kinds,
  Preview,
  usePreview,
} from './list-preview.tsx';
import { NEW_TICKET, WINDOW_FIELDS } from './ticket-draft.ts';

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
  const preview = usePreview(list);
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
      isBlocked={!done && preview.error !== null}
      onClose={onClose}
      onSubmit={submit}
    >
      <FileInput
        label={tickets.importFile}
        description={tickets.importHelp}
        accept=".csv,.jsonl,.ndjson,text/csv"
        required
        clearable
        clearButtonProps={{ 'aria-label': general.clearFile }}
        value={list.file}
        onChange={list.choose}
      />
      {list.head && <ListFields list={list} head={list.head} faults={faultsOf(preview.error)} />}
      {!done && !bring.error && <Preview preview={preview} />}
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
  const events = offered(useEvents().data?.items ?? []);
  const [file, setFile] = useState<File | null>(null);
  const [head, setHead] = useState<ListHead>();
  const [mapping, setMapping] = useState<Mapping>({});
  const [kinds, setKinds] = useState<Kinds>({});
  const [uses, setUses] = useState(NEW_TICKET.uses);
  const [skipExisting, setSkipExisting] = useState(false);
  const [chosenEvent, setEvent] = useState('');
  const event = chosenEvent || (events[0]?.id ?? '');
  const isJson = file !== null && JSON_LINES.test(file.name);
  const existing = isJson || hasIds(head, mapping);
  const reading = {
    timeZone: pageZone(),
    encoding: head?.encoding,
    columns: jsonOf(mapping),
    types: jsonOf(kinds),
  };
  const hasCards = !existing && Object.values(kinds).includes('multi');
  const format = isJson ? 'jsonl' : 'csv';
  const path = existing
    ? `/tickets/import${queryOf({ format, skipExisting: String(skipExisting), ...reading })}`
    : `/tickets/from-list${queryOf({ event, uses: hasCards ? String(uses) : undefined, ...reading })}`;
  const choose = async (chosen: File | null) => {
    setFile(chosen);
    setMapping({});
    setKinds({});
    setHead(chosen && !JSON_LINES.test(chosen.name) ? await readListHead(chosen) : undefined);
  };
  // Browsers call a CSV file whatever the machine's programs call it.
  const body = file && new Blob([file], { type: isJson ? 'application/x-ndjson' : 'text/csv' });
  return {
    ...{
      file,
      head,
      mapping,
      kinds,
      hasCards,
      uses,
      existing,
      skipExisting,
      event,
      events,
      path,
      body,
    },
    ...{ choose, setMapping, setKinds, setUses, setSkipExisting, setEvent },
    reread: async (encoding: ListHead['encoding']) => {
      if (file) setHead(await readListHead(file, encoding));
    },
  };
}

function jsonOf(choices: object): string | undefined {
  return Object.keys(choices).length > 0 ? JSON.stringify(choices) : undefined;
}

function hasIds(head: ListHead | undefined, mapping: Mapping): boolean {
  const unmapped = head?.headings.filter((heading) => !(heading in mapping)) ?? [];
  return hasTicketIds(unmapped) || Object.values(mapping).includes('ticketId');
}

type List = ReturnType<typeof useList>;

interface ListFieldsProps {
  readonly list: List;
  readonly head: ListHead;
  readonly faults: readonly LineFault[];
}

function ListFields({ list, head, faults }: ListFieldsProps) {
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
        unknown={columnsWith('column_unknown', faults)}
        onChange={list.setMapping}
      />
      <KindMapping kinds={list.kinds} faults={faults} onChange={list.setKinds} />
      {list.hasCards && (
        <NumberField
          label={tickets.uses}
          min={USES_MULTI_MIN}
          max={USES_MULTI_MAX}
          value={list.uses}
          onChange={list.setUses}
        />
      )}
    </>
  );
}

/** The column that somebody chose for a heading; null to leave it out. Headings that are not here are recognised by the server. */
type Mapping = Readonly<Record<string, string | null>>;

const NEW_COLUMNS = ['firstName', 'lastName', 'type', 'uses', ...WINDOW_FIELDS, 'event'] as const;
const EXISTING_COLUMNS = [
  ...(['ticketId', 'code', 'event', 'eventName', 'firstName', 'lastName', 'type', 'uses'] as const),
  ...WINDOW_FIELDS,
  ...(['usesConsumed', 'createdAt', 'lastConsumedAt', 'cancelledAt'] as const),
];
const AUTOMATIC = '';
const LEFT_OUT = '-';

interface ColumnMappingProps {
  readonly head: ListHead;
  readonly existing: boolean;
  readonly mapping: Mapping;
  /** Headings that the server does not recognise. */
  readonly unknown: ReadonlySet<string>;
  readonly onChange: (mapping: Mapping) => void;
}

/** Which column of a file is what. */
function ColumnMapping({ head, existing, mapping, unknown, onChange }: ColumnMappingProps) {
  const { lists, tickets } = useTexts();
  const labels = { ...tickets, ...lists.columns };
  const known = existing ? EXISTING_COLUMNS : NEW_COLUMNS;
  const choices = [
    { value: AUTOMATIC, label: lists.automatic },
    ...known.map((name) => ({ value: name as string, label: labels[name] })),
    { value: LEFT_OUT, label: lists.leaveOut },
  ];
  const choose = (heading: string, value: string) => {
    const { [heading]: _, ...others } = mapping;
    const column = value === LEFT_OUT ? null : value;
    onChange(value === AUTOMATIC ? others : { ...others, [heading]: column });
  };
  return (
    <fieldset className="mapping">
      <legend>{lists.mapping}</legend>
      {head.headings.map((heading, index) => (
        <NativeSelect
          key={heading}
          label={heading}
          description={head.example[index] ? lists.example(head.example[index]) : undefined}
          error={!(heading in mapping) && unknown.has(heading) && lists.unrecognised}
          data={choices}
          value={mapping[heading] === null ? LEFT_OUT : (mapping[heading] ?? AUTOMATIC)}
          onChange={(event) => choose(heading, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  );
}
