import { Checkbox, FileInput, NativeSelect } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { USES_MULTI_MAX, USES_MULTI_MIN } from '../../core/limits.ts';
import { partedList } from '../api/good-rows.ts';
import {
  ApiFailure,
  call,
  type LineFault,
  type ListPreview,
  type TicketWithCode,
} from '../api/http.ts';
import { type ListHead, listText } from '../api/list-head.ts';
import { useChange } from '../api/use-api.tsx';
import { ColumnMapping } from '../components/column-mapping.tsx';
import { FormModal, useClose } from '../components/dialogs.tsx';
import { choicesOf, NumberField } from '../components/fields.tsx';
import { Done, faultsOf } from '../components/page.tsx';
import { saveFile } from '../components/save-file.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { KindMapping } from './kind-mapping.tsx';
import { Noticed, Preview, Unreadable } from './list-preview.tsx';
import { type List, typedList, useList } from './list-to-import.ts';
import { sheetNotes } from './sheet-notes.ts';
import { CancelledWords, SeemsOf, Shop, UpdateChoice } from './shop-list.tsx';

interface ImportTicketsProps {
  readonly onCreated: (tickets: readonly TicketWithCode[]) => void;
}

/** Tickets from a file, new ones or existing ones: all of it or, where lines are wrong, the good ones; the others are saved as a list. */
export function ImportTickets({ onCreated }: ImportTicketsProps) {
  const close = useClose();
  const { tickets, general, lists } = useDeskTexts();
  const list = useList();
  const preview = usePreview(list);
  const bring = useImport(list);
  const done = bring.data;
  const parts = partsOf(preview.error);
  const shop = preview.error instanceof ApiFailure ? preview.error.shop : undefined;
  const [saved, setSaved] = useState(0);
  const submit = async () => {
    if (done) return close();
    if (!list.file) return;
    const parted = parts && (await partedFile(list, parts.badLines));
    const input = parted ? { ...list.input, encoding: 'utf-8', file: parted.good } : list.input;
    bring.mutate(input, {
      onSuccess: ({ items }) => {
        list.keepChoices();
        if (parted) saveFile(parted.bad, parted.badName);
        setSaved(parts?.badLines.length ?? 0);
        // Where nothing is new, this dialog says so.
        if (!items || items.length === 0) return;
        close();
        onCreated(items);
      },
    });
  };
  const act = parts ? lists.importGood(parts.good, parts.badLines.length) : tickets.import;
  return (
    <FormModal
      size="lg"
      title={tickets.importTitle}
      submit={done ? general.close : act}
      {...(done && { dismiss: null })}
      change={bring}
      isBlocked={!done && preview.error !== null && !parts}
      onSubmit={() => void submit()}
    >
      <FileInput
        label={tickets.importFile}
        description={tickets.importHelp}
        accept=".csv,.xlsx,.jsonl,.ndjson,text/csv"
        required
        clearable
        clearButtonProps={{ 'aria-label': general.clearFile }}
        value={list.file}
        onChange={list.choose}
      />
      {list.head && (
        <ListFields list={list} head={list.head} faults={shop ? [] : faultsOf(preview.error)} />
      )}
      {list.failure && <Unreadable error={list.failure} />}
      {shop && <SeemsOf name={shop} onAgree={() => list.shop.setMap(shop)} />}
      {!done && !shop && !bring.error && <Preview preview={preview} />}
      {done && <ImportedCounts done={done} saved={saved} isUpdate={isUpdateOf(list)} />}
    </FormModal>
  );
}

/** Whether the list also changes tickets that are there. */
function isUpdateOf({ existing, shop }: List): boolean {
  return !existing && shop.update;
}

/** Brings the tickets of a list. */
function useImport({ route }: ReturnType<typeof useList>) {
  return useChange(route, 'events');
}

type Imported = NonNullable<ReturnType<typeof useImport>['data']>;

interface ImportedCountsProps {
  readonly done: Imported;
  /** The lines that were saved as a list of their own. */
  readonly saved: number;
  readonly isUpdate: boolean;
}

/** Says how many tickets the list has brought, and what became of its other rows. */
function ImportedCounts({ done, saved, isUpdate }: ImportedCountsProps) {
  const { tickets, lists } = useDeskTexts();
  const texts = [
    tickets.imported(done.imported ?? done.items?.length ?? 0),
    done.existing ? lists.skipped(done.existing) : '',
    isUpdate ? lists.updated(done.changed ?? 0, done.cancelled ?? 0) : '',
    done.known && !isUpdate ? lists.known(done.known) : '',
    saved > 0 ? lists.savedOthers(saved) : '',
  ];
  return (
    <>
      <Done text={texts.join(' ')} />
      <Noticed answer={done} />
    </>
  );
}

interface Parts {
  readonly good: number;
  readonly badLines: readonly number[];
}

/** What could be imported of a refused list; undefined where nothing could. */
function partsOf(error: Error | null): Parts | undefined {
  if (!(error instanceof ApiFailure) || !error.good || error.badLines.length === 0)
    return undefined;
  return { good: error.good, badLines: error.badLines };
}

/** The list as two files; the one with the bad rows is called after it. */
async function partedFile({ file, head, isJson }: List, badLines: readonly number[]) {
  if (!file) throw new Error('no list was chosen');
  const text = await listText(file, head?.encoding ?? 'utf-8');
  const { good, bad } = await partedList(text, badLines, !isJson);
  const [, name = file.name, ending = ''] = /^(.*?)(\.[^.]*)?$/u.exec(file.name) ?? [];
  return {
    good: typedList(good, isJson),
    // With a mark a spreadsheet reads its letters.
    bad: typedList(isJson ? bad : `\ufeff${bad}`, isJson),
    badName: `${name}-left-out${ending}`,
  };
}

interface ListFieldsProps {
  readonly list: List;
  readonly head: ListHead;
  readonly faults: readonly LineFault[];
}

/** How the file is read: which worksheet of a workbook, or in which encoding. */
function ReadAs({ list, head }: Pick<ListFieldsProps, 'list' | 'head'>) {
  const { lists } = useDeskTexts();
  return list.workbook ? (
    <NativeSelect
      label={lists.worksheet}
      data={[...list.workbook.worksheets]}
      value={list.workbook.worksheet}
      description={sheetNotes(list.workbook, lists)}
      onChange={(event) => void list.choose(list.source, event.currentTarget.value)}
    />
  ) : (
    <NativeSelect
      label={lists.encoding}
      data={choicesOf(['utf-8', 'latin1'], lists.encodings)}
      value={head.encoding}
      onChange={({ currentTarget: { value } }) =>
        list.reread(value === 'latin1' ? 'latin1' : 'utf-8')
      }
    />
  );
}

function ListFields({ list, head, faults }: ListFieldsProps) {
  const { lists, tickets } = useDeskTexts();
  const isUnique = list.uniqueReference || list.shop.update;
  const made = isUnique ? lists.newReferences : lists.newTickets;
  return (
    <>
      <ReadAs list={list} head={head} />
      <p className="dimmed">{list.existing ? lists.existing : made}</p>
      {list.existing ? (
        <Checkbox
          label={lists.skipExisting}
          checked={list.skipExisting}
          onChange={(event) => list.setSkipExisting(event.currentTarget.checked)}
        />
      ) : (
        <NativeSelect
          label={tickets.event}
          data={list.events}
          value={list.event}
          onChange={(event) => list.setEvent(event.currentTarget.value)}
        />
      )}
      {!list.existing && <Shop shop={list.shop} />}
      <KnownReferences list={list} />
      {!list.existing && <UpdateChoice shop={list.shop} />}
      <ColumnMapping
        head={head}
        existing={list.existing}
        mapping={list.mapping}
        unknown={columnsWith(UNKNOWN, faults)}
        onChange={list.setMapping}
      />
      {!list.existing && <CancelledWords shop={list.shop} mapping={list.mapping} />}
      <KindMapping kinds={list.kinds} faults={faults} onChange={list.setKinds} />
      {!list.existing && list.hasCards && (
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

/** Lets a list that grows be imported again. */
function KnownReferences({ list }: { readonly list: List }) {
  const { lists } = useDeskTexts();
  // Without them, no ticket could be found again.
  const isUpdate = isUpdateOf(list);
  return (
    <Checkbox
      label={lists.uniqueReference}
      description={lists.uniqueReferenceHelp}
      checked={list.uniqueReference || isUpdate}
      disabled={isUpdate}
      onChange={(event) => list.setUniqueReference(event.currentTarget.checked)}
    />
  );
}

/** Reads a list as an import would, and stores nothing. */
function usePreview({ file, head, isJson, route, input }: List): UseQueryResult<ListPreview> {
  const { file: _, ...reading } = input;
  return useQuery({
    queryKey: ['list-preview', route, reading, file?.name, file?.size, file?.lastModified],
    queryFn: async () => (await call(route, { ...input, preview: true })) as ListPreview,
    // Before the head is read, its encoding is not known.
    enabled: file !== null && (head !== undefined || isJson),
    retry: false,
    gcTime: 0,
  });
}

const UNKNOWN = ['column_unknown', 'column_state', 'column_quantity', 'column_garbled'];

function columnsWith(codes: readonly string[], faults: readonly LineFault[]): ReadonlySet<string> {
  return new Set(
    faults.flatMap(({ code = '', column }) => (codes.includes(code) ? [column ?? ''] : [])),
  );
}
