import { Button, Checkbox, NativeSelect } from '@mantine/core';
import { IconPlus, IconUpload } from '@tabler/icons-react';
import { useState } from 'react';
import { offered, useEvents, useNameOf } from '../api/lists.ts';
import { useMay } from '../api/session.tsx';
import type { Page, Ticket, TicketWithCode } from '../api/types.ts';
import { usePages } from '../api/use-api.ts';
import { type Column, DataTable, Pager } from '../components/data-table.tsx';
import { SearchField, useChoices } from '../components/fields.tsx';
import { ExportLinks, PageHead } from '../components/page-head.tsx';
import { Answered } from '../components/states.tsx';
import { ShortWindow, TicketName, useLeft } from '../components/ticket-words.tsx';
import { Name, TicketBadge } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';
import { ImportTickets } from './import-tickets.tsx';
import { BulkActions, ManyActions, type TicketFilter } from './many-tickets.tsx';
import { CreatedTickets, CreateTickets } from './new-tickets.tsx';

const TICKETS_PER_PAGE = 50;

/** Tickets: search, create, cancel and reinstate, import and export. */
export function TicketsPage() {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const choices = useChoices(CHOICES);
  const filter = choices.chosen;
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const pages = usePages<Ticket, Page<Ticket>>(
    '/tickets',
    { ...filter, limit: TICKETS_PER_PAGE },
    'after',
  );
  const rows = pages.data?.items ?? [];
  const columns = useTicketColumns(rows, operator ? { selected, setSelected } : undefined);
  const filtered = Object.values(filter).some((value) => value);
  const emptyText = operator ? tickets.emptyAtAll : tickets.emptyForViewers;
  // One answer examines a limited number of tickets: an empty page need not be the last.
  const none = pages.older ? tickets.emptySoFar : filtered ? tickets.empty : emptyText;
  return (
    <>
      <PageHead title={tickets.title}>
        <TicketTools filter={filter} />
      </PageHead>
      <TicketFilterFields choices={choices} />
      {operator && <ManyActions filter={filter} />}
      <BulkActions selected={selected} onDone={() => setSelected(new Set())} />
      <Answered asked={pages}>
        {({ items }) => (
          <DataTable
            empty={none}
            label={tickets.title}
            columns={columns}
            rows={items}
            keyOf={({ ticketId }) => ticketId}
          />
        )}
      </Answered>
      <Pager pages={pages} />
    </>
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
  const { tickets, general } = useTexts();
  const left = useLeft();
  const eventName = useNameOf('events');
  const box = useSelectColumn(rows, selection);
  return [
    ...box,
    {
      title: tickets.ticket,
      cell: (ticket) => <TicketName id={ticket.ticketId} ticket={ticket} />,
    },
    { title: tickets.event, cell: ({ event }) => <Name>{eventName(event)}</Name> },
    { title: tickets.uses, cell: left },
    { title: tickets.validity, cell: (ticket) => <ShortWindow ticket={ticket} /> },
    { title: general.state, cell: ({ state }) => <TicketBadge state={state} /> },
  ];
}

function useSelectColumn(
  rows: readonly Ticket[],
  selection: Selection | undefined,
): Column<Ticket>[] {
  const { tickets } = useTexts();
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

const CHOICES = ['event', 'state', 'search', 'batch'] as const;

/** Which tickets are wanted. */
function TicketFilterFields({
  choices: { chosen, choose, clear },
}: {
  choices: ReturnType<typeof useChoices<keyof TicketFilter>>;
}) {
  const { tickets, general } = useTexts();
  const events = offered(useEvents().data?.items ?? [], (id) => id === chosen.event);
  const states = Object.entries(tickets.states).map(([value, label]) => ({ value, label }));
  const all = { value: '', label: general.all };
  const known = events.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <search className="filters">
      <SearchField
        label={tickets.searchLabel}
        value={chosen.search}
        onChange={(search) => choose({ search })}
      />
      <NativeSelect
        label={tickets.event}
        data={[all, ...known]}
        value={chosen.event}
        onChange={(change) => choose({ event: change.currentTarget.value })}
      />
      <NativeSelect
        label={general.state}
        data={[all, ...states]}
        value={chosen.state}
        onChange={(change) => choose({ state: change.currentTarget.value })}
      />
      <SearchField
        label={tickets.batch}
        value={chosen.batch}
        onChange={(batch) => choose({ batch: batch.trim() })}
      />
      <Button variant="subtle" onClick={clear}>
        {general.clearFilter}
      </Button>
    </search>
  );
}

/** Create, import, export. */
function TicketTools({ filter }: { filter: TicketFilter }) {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [open, setOpen] = useState<'create' | 'import'>();
  const [created, setCreated] = useState<readonly TicketWithCode[]>();
  const close = () => setOpen(undefined);
  const show = (items: readonly TicketWithCode[]) => {
    close();
    setCreated(items);
  };
  return (
    <>
      <ExportLinks
        path="/tickets/export"
        filter={{ event: filter.event, state: filter.state }}
        texts={tickets}
      />
      {operator && (
        <>
          <Button
            variant="default"
            leftSection={<IconUpload size={18} aria-hidden />}
            onClick={() => setOpen('import')}
          >
            {tickets.import}
          </Button>
          <Button
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setOpen('create')}
          >
            {tickets.create}
          </Button>
        </>
      )}
      {open === 'import' && <ImportTickets onClose={close} onCreated={show} />}
      {open === 'create' && (
        <CreateTickets eventId={filter.event} onClose={close} onCreated={show} />
      )}
      {created && <CreatedTickets tickets={created} onClose={() => setCreated(undefined)} />}
    </>
  );
}
