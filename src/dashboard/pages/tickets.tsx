import { Button, Checkbox, NativeSelect, Progress } from '@mantine/core';
import { IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { fieldsThat, type TicketFieldName } from '../../core/ticket-fields.ts';
import type { Ticket, TicketWithCode } from '../api/http.ts';
import { useEventChoices, useEventName } from '../api/lists.ts';
import { useMayCreate } from '../api/site-status.ts';
import { SORTED_MAX, TICKET_ORDERS, type TicketList, useTicketList } from '../api/ticket-search.ts';
import { useMay } from '../api/use-api.tsx';
import { type Column, ListTable, Pager } from '../components/data-table.tsx';
import { CreateButton, DialogButton, Opened } from '../components/dialogs.tsx';
import {
  bound,
  choicesOf,
  FilterBar,
  SearchField,
  type UsedChoices,
  useChoices,
} from '../components/fields.tsx';
import { ExportLinks } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { ShortWindow, TicketBadge, TicketName, useLeft } from '../components/ticket-values.tsx';
import { Name } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { ImportTickets } from './import-tickets.tsx';
import { BulkActions, ManyActions, type TicketFilter } from './many-tickets.tsx';
import { CreatedTickets, CreateTickets } from './new-tickets.tsx';

/** Tickets: search, create, cancel and reinstate, import and export. */
export function TicketsPage() {
  const { navigation, tickets } = useDeskTexts();
  const operator = useMay('operator');
  const mayCreate = useMayCreate('operator');
  const choices = useChoices(CHOICES);
  const { order: asked, ...filter } = choices.chosen;
  const order = TICKET_ORDERS.find((one) => one === asked) ?? 'newest';
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const list = useTicketList(filter, order);
  const rows = list.data?.items ?? [];
  const columns = useTicketColumns(rows, operator ? { selected, setSelected } : undefined);
  const filtered = Object.values(filter).some((value) => value);
  const emptyText = mayCreate ? tickets.emptyAtAll : tickets.emptyForViewers;
  // A search that was stopped has not looked at all of them.
  const none =
    list.progress || list.older ? tickets.emptySoFar : filtered ? tickets.empty : emptyText;
  return (
    <>
      <PageHead title={navigation.tickets}>
        <TicketTools filter={filter} />
      </PageHead>
      <TicketFilterFields choices={choices} />
      {operator && <ManyActions filter={filter} isNone={list.data?.items.length === 0} />}
      <BulkActions selected={selected} onDone={() => setSelected(new Set())} />
      <HowMany list={list} />
      <ListTable
        compact
        asked={list}
        empty={none}
        label={navigation.tickets}
        columns={columns}
        keyOf={({ ticketId }) => ticketId}
      />
      <Pager pages={list} />
    </>
  );
}

/** How many tickets there are; while a search goes on, how far it is, and the button that ends it. */
function HowMany({ list: { count, progress, isUnsorted } }: { list: TicketList }) {
  const { tickets } = useDeskTexts();
  const { number, percent } = useFormats();
  if (progress) {
    const { found, stop } = progress;
    return (
      <div className="searched-back">
        <span role="status">{tickets.searching(number(found.items.length))}</span>
        <Progress
          flex={1}
          value={found.searched * 100}
          aria-label={tickets.searchedPart(percent(found.searched))}
        />
        <Button size="xs" variant="default" onClick={stop}>
          {tickets.stopSearch}
        </Button>
      </div>
    );
  }
  if (!count || count.tickets === 0) return null;
  const text = count.isWhole ? tickets.howMany : tickets.atLeast;
  return (
    <p className="dimmed" role="status">
      {text(number(count.tickets), count.tickets)}
      {isUnsorted && ` ${tickets.tooManyToSort(number(SORTED_MAX))}`}
    </p>
  );
}

interface Selection {
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (selected: ReadonlySet<string>) => void;
}

/** The columns of the list of tickets; with boxes to tick for roles that can change them. */
function useTicketColumns(
  rows: readonly Ticket[],
  selection: Selection | undefined,
): Column<Ticket>[] {
  const { tickets, general } = useDeskTexts();
  const left = useLeft();
  const eventName = useEventName();
  const box = useSelectColumn(rows, selection);
  return [
    ...box,
    {
      title: tickets.ticket,
      rest: true,
      narrow: 'narrow-first',
      cell: (ticket) => <TicketName id={ticket.ticketId} ticket={ticket} />,
    },
    {
      title: tickets.event,
      narrow: 'narrow-cut',
      cell: ({ event }) => <Name>{eventName(event)}</Name>,
    },
    ...writtenColumns(rows, tickets.fields),
    { title: tickets.uses, cell: left },
    { title: tickets.validity, cell: (ticket) => <ShortWindow ticket={ticket} /> },
    {
      title: general.state,
      narrow: 'narrow-first',
      cell: ({ state }) => <TicketBadge state={state} />,
    },
  ];
}

/** What is written on tickets and a list shows, where one of these has it. */
function writtenColumns(
  rows: readonly Ticket[],
  labels: Readonly<Record<TicketFieldName, string>>,
): Column<Ticket>[] {
  return fieldsThat(({ isListed }) => isListed)
    .filter((name) => rows.some((ticket) => ticket[name]))
    .map((name) => ({
      title: labels[name],
      narrow: 'narrow-cut',
      cell: (ticket) => <Name>{String(ticket[name] || '')}</Name>,
    }));
}

function useSelectColumn(
  rows: readonly Ticket[],
  selection: Selection | undefined,
): Column<Ticket>[] {
  const { tickets } = useDeskTexts();
  if (!selection || rows.length === 0) return [];
  const { selected, setSelected } = selection;
  const cell = ({ ticketId }: Ticket) => (
    <Checkbox
      aria-label={tickets.select(ticketId)}
      checked={selected.has(ticketId)}
      onChange={(change) =>
        setSelected(changed(selected, [ticketId], change.currentTarget.checked))
      }
    />
  );
  const ids = rows.map(({ ticketId }) => ticketId);
  const heading = (
    <Checkbox
      aria-label={tickets.selectAll}
      checked={ids.every((id) => selected.has(id))}
      onChange={(change) => setSelected(changed(selected, ids, change.currentTarget.checked))}
    />
  );
  return [{ title: '', heading, cell }];
}

/** The selection with these tickets in it, or without them. */
function changed(
  selected: ReadonlySet<string>,
  ids: readonly string[],
  wanted: boolean,
): Set<string> {
  const next = new Set(selected);
  for (const id of ids) {
    if (wanted) next.add(id);
    else next.delete(id);
  }
  return next;
}

const CHOICES = ['event', 'state', 'search', 'reference', 'batch', 'order'] as const;

/** Which tickets are wanted. */
function TicketFilterFields({ choices }: { choices: UsedChoices<keyof TicketFilter | 'order'> }) {
  const { tickets, general } = useDeskTexts();
  const { chosen, choose, clear } = choices;
  const field = bound(chosen, choose);
  const states = Object.entries(tickets.states).map(([value, label]) => ({ value, label }));
  const all = { value: '', label: general.all };
  return (
    <FilterBar count={Object.values(chosen).filter(Boolean).length}>
      <SearchField label={tickets.searchLabel} {...field('search')} />
      <NativeSelect
        label={tickets.event}
        data={[all, ...useEventChoices(chosen.event)]}
        {...field('event')}
      />
      <NativeSelect label={general.state} data={[all, ...states]} {...field('state')} />
      <SearchField
        label={tickets.fields.reference}
        value={chosen.reference}
        onChange={(reference) => choose({ reference: reference.trim() })}
      />
      <SearchField
        label={tickets.batch}
        value={chosen.batch}
        onChange={(batch) => choose({ batch: batch.trim() })}
      />
      <NativeSelect
        label={tickets.order}
        data={choicesOf(TICKET_ORDERS, tickets.orders)}
        value={chosen.order || 'newest'}
        onChange={({ currentTarget: { value } }) =>
          choose({ order: value === 'newest' ? '' : value })
        }
      />
      <Button variant="subtle" onClick={clear}>
        {general.clearFilter}
      </Button>
    </FilterBar>
  );
}

/** Create, import, export. */
function TicketTools({ filter }: { filter: TicketFilter }) {
  const { tickets } = useDeskTexts();
  const mayCreate = useMayCreate('operator');
  const [created, setCreated] = useState<readonly TicketWithCode[]>();
  return (
    <>
      <ExportLinks route="GET /tickets/export" filter={filter} />
      {mayCreate && (
        <>
          <DialogButton
            variant="default"
            leftSection={<IconUpload size={18} aria-hidden />}
            dialog={<ImportTickets onCreated={setCreated} />}
          >
            {tickets.import}
          </DialogButton>
          <CreateButton
            text={tickets.create}
            dialog={<CreateTickets eventId={filter.event} onCreated={setCreated} />}
          />
        </>
      )}
      <Opened value={() => setCreated(undefined)}>
        {created && <CreatedTickets created={created} />}
      </Opened>
    </>
  );
}
