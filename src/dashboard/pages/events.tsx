import { Badge, Button, Switch, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { offered, useEvents } from '../api/lists.ts';
import { useMay } from '../api/session.tsx';
import type { DeletionFacts, Event } from '../api/types.ts';
import { useChange, useRead } from '../api/use-api.ts';
import { type Column, DataTable, RowAction } from '../components/data-table.tsx';
import { Confirm, FormModal } from '../components/dialogs.tsx';
import { useChoices } from '../components/fields.tsx';
import { ExportLinks, PageHead } from '../components/page-head.tsx';
import { Answered, Empty, Failure } from '../components/states.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

const CHOICES = ['archived'] as const;

/** Events: create, rename, archive, delete, and the way to their tickets. */
export function EventsPage() {
  const texts = useTexts();
  const operator = useMay('operator');
  const events = useEvents();
  const [isCreating, setCreating] = useState(false);
  const { chosen, choose } = useChoices(CHOICES);
  const archived = chosen.archived !== '';
  const columns = useColumns(operator);
  return (
    <>
      <PageHead title={texts.events.title}>
        {operator && (
          <Button
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setCreating(true)}
          >
            {texts.events.create}
          </Button>
        )}
      </PageHead>
      <Answered asked={events}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={texts.events.empty} />
          ) : (
            <>
              {items.some(({ archivedAt }) => archivedAt !== null) && (
                <Switch
                  label={texts.events.showArchived}
                  checked={archived}
                  onChange={(change) =>
                    choose({ archived: change.currentTarget.checked ? 'true' : '' })
                  }
                />
              )}
              <DataTable
                label={texts.events.title}
                columns={columns}
                rows={offered(items, () => archived)}
                keyOf={({ id }) => id}
              />
            </>
          )
        }
      </Answered>
      {isCreating && <EventForm event="new" onClose={() => setCreating(false)} />}
    </>
  );
}

function useColumns(operator: boolean): Column<Event>[] {
  const { events, general } = useTexts();
  const formats = useFormats();
  const columns: Column<Event>[] = [
    {
      title: general.name,
      cell: ({ name, archivedAt }) => (
        <>
          <Name>{name}</Name>{' '}
          {archivedAt !== null && (
            <Badge color="gray" variant="light">
              {events.archived}
            </Badge>
          )}
        </>
      ),
    },
    { title: events.id, cell: ({ id }) => <code>{id}</code> },
    {
      title: events.tickets,
      end: true,
      cell: ({ id, name, tickets }) => (
        <Link
          href={`/tickets?event=${id}`}
          aria-label={events.showTickets(name, formats.number(tickets.total))}
        >
          {formats.number(tickets.total)}
        </Link>
      ),
    },
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} only="date" /> },
  ];
  if (!operator) return columns;
  return [...columns, { title: general.actions, cell: (event) => <EventActions event={event} /> }];
}

/** What an operator can do with an event. Only owners delete one with its tickets. */
function EventActions({ event }: { event: Event }) {
  const { events, general } = useTexts();
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const archive = useChange('events');
  const { id, name, archivedAt, tickets } = event;
  const owner = useMay('owner');
  const isEmpty = tickets.total === 0;
  const act = archivedAt === null ? 'archive' : 'unarchive';
  const close = () => setAsking(undefined);
  return (
    <div className="row-actions">
      <RowAction
        text={events.rename}
        label={events.renameNamed(name)}
        onClick={() => setAsking('rename')}
      />
      <RowAction
        text={events[act]}
        label={events[`${act}Named`](name)}
        loading={archive.isPending}
        onClick={() => archive.mutate({ method: 'POST', path: `/events/${id}/${act}`, body: {} })}
      />
      {(isEmpty || owner) && (
        <RowAction
          danger
          text={general.delete}
          label={events.delete(name)}
          onClick={() => setAsking('delete')}
        />
      )}
      {archive.error && <Failure error={archive.error} />}
      {asking === 'rename' && <EventForm event={event} onClose={close} />}
      {asking === 'delete' && owner && <DeleteEvent event={event} onClose={close} />}
      {asking === 'delete' && !owner && <DeleteUnused event={event} onClose={close} />}
    </div>
  );
}

/** Creates an event, or renames one. */
function EventForm({ event, onClose }: { event: Event | 'new'; onClose: () => void }) {
  const { events, general } = useTexts();
  const existing = event === 'new' ? undefined : event;
  const [name, setName] = useState(existing?.name ?? '');
  const change = useChange('events');
  const request = existing
    ? ({ method: 'PATCH', path: `/events/${existing.id}`, body: { name } } as const)
    : ({ method: 'POST', path: '/events', body: { name } } as const);
  return (
    <FormModal
      title={existing ? events.rename : events.create}
      submit={existing ? general.save : general.create}
      change={change}
      onClose={onClose}
      onSubmit={() => change.mutate(request, { onSuccess: onClose })}
    >
      <TextInput
        label={general.name}
        required
        data-autofocus
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
    </FormModal>
  );
}

type Facts = ReturnType<typeof useRead<DeletionFacts>>;

interface Props {
  readonly event: Event;
  readonly onClose: () => void;
}

/** For owners: an event without tickets may still have scans, which only go with everything. */
function DeleteEvent({ event, onClose }: Props) {
  const facts = useRead<DeletionFacts>(`/events/${event.id}/deletion`);
  if (facts.isPending) return null;
  const isUnused = facts.data?.tickets === 0 && facts.data.lastScanAt === null;
  if (isUnused) return <DeleteUnused event={event} onClose={onClose} />;
  return <DeleteWithTickets event={event} facts={facts} onClose={onClose} />;
}

/** Deletes an event that was never needed. */
function DeleteUnused({ event: { id, name }, onClose }: Props) {
  const { events, general } = useTexts();
  return (
    <Confirm
      title={events.deleteTitle}
      submit={general.delete}
      act={{ method: 'DELETE', path: `/events/${id}` }}
      changes={['events', 'keys']}
      onClose={onClose}
    >
      {events.deleteText(name)}
    </Confirm>
  );
}

/** Deletes an event with everything that belongs to it, after offering an export and asking for its name. */
function DeleteWithTickets({ event, facts, onClose }: Props & { facts: Facts }) {
  const { events, general, tickets, log } = useTexts();
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const { id, name } = event;
  const change = useChange('events', 'keys', 'tickets', 'log', 'audit-trail');
  const submit = () => {
    setWrong(typed.trim() !== name);
    if (typed.trim() !== name) return;
    const path = `/events/${id}?withTickets=true`;
    change.mutate({ method: 'DELETE', path }, { onSuccess: onClose });
  };
  return (
    <FormModal
      danger
      title={events.deleteAllTitle}
      submit={general.delete}
      change={change}
      onClose={onClose}
      onSubmit={submit}
    >
      <Answered asked={facts}>{(known) => <Content name={name} facts={known} />}</Answered>
      <p>{events.deleteAllStays}</p>
      <p>{events.exportFirst}</p>
      <div className="form-buttons">
        <span>{tickets.title}</span>
        <ExportLinks path="/tickets/export" filter={{ event: id }} texts={tickets} />
      </div>
      <div className="form-buttons">
        <span>{log.title}</span>
        <ExportLinks path="/log/export" filter={{ event: id }} texts={log} />
      </div>
      <TextInput
        label={events.typeName(name)}
        autoComplete="off"
        value={typed}
        error={isWrong && events.otherName}
        onChange={(changed) => setTyped(changed.currentTarget.value)}
      />
    </FormModal>
  );
}

function Content({ name, facts }: { name: string; facts: DeletionFacts }) {
  const { events } = useTexts();
  const formats = useFormats();
  const { tickets, valid, lastScanAt } = facts;
  return (
    <>
      <p className="break">{events.deleteAllText(name, formats.number(tickets))}</p>
      <p>
        <strong>{events.stillValid(valid, formats.number(valid))}</strong>{' '}
        {lastScanAt === null ? events.neverScanned : events.lastScan(formats.dateTime(lastScanAt))}
      </p>
    </>
  );
}
