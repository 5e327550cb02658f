import { Badge, Switch, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { isSameName } from '../../core/folded-text.ts';
import type { Event } from '../api/http.ts';
import { offered, useEvents } from '../api/lists.ts';
import { useMayCreate } from '../api/site-status.ts';
import { useChange, useMay, useRead } from '../api/use-api.tsx';
import { type Column, DataTable } from '../components/data-table.tsx';
import {
  ChangeModal,
  Confirm,
  CreateButton,
  FormModal,
  RowChange,
  RowDialog,
  useClose,
} from '../components/dialogs.tsx';
import { useChoices } from '../components/fields.tsx';
import { Answered, ExportLinks } from '../components/page.tsx';
import { Empty, PageHead } from '../components/page-head.tsx';
import { NameField } from '../components/people-text.tsx';
import { RowMenu } from '../components/row-menu.tsx';
import { Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';
import { HomeBadge, MoveEvent } from './event-home.tsx';

const CHOICES = ['archived'] as const;

/** Events: create, rename, archive, delete, and the way to their tickets. */
export function EventsPage() {
  const { navigation, events } = useDeskTexts();
  const operator = useMay('operator');
  const mayCreate = useMayCreate('operator');
  const asked = useEvents();
  const { chosen, choose } = useChoices(CHOICES);
  const archived = chosen.archived !== '';
  const columns = useColumns(operator);
  return (
    <>
      <PageHead title={navigation.events}>
        {mayCreate && <CreateButton text={events.create} dialog={<EventForm />} />}
      </PageHead>
      <Answered asked={asked}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty text={mayCreate ? events.empty : events.emptyForViewers} />
          ) : (
            <>
              {items.some(({ archivedAt }) => archivedAt !== null) && (
                <Switch
                  mb="sm"
                  label={events.showArchived}
                  checked={archived}
                  onChange={(change) =>
                    choose({ archived: change.currentTarget.checked ? 'true' : '' })
                  }
                />
              )}
              <DataTable
                label={navigation.events}
                columns={columns}
                rows={offered(items, () => archived)}
                keyOf={({ id }) => id}
              />
            </>
          )
        }
      </Answered>
    </>
  );
}

function useColumns(operator: boolean): Column<Event>[] {
  const { events, general } = useDeskTexts();
  const formats = useFormats();
  const columns: Column<Event>[] = [
    {
      title: general.name,
      rest: true,
      cell: (event) => (
        <>
          <Link href={`/events/${event.id}`} className="row-link">
            <Name>{event.name}</Name>
          </Link>{' '}
          {event.archivedAt !== null && (
            <Badge color="gray" variant="light">
              {events.archived}
            </Badge>
          )}{' '}
          <HomeBadge event={event} />
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
  const { events, general } = useDeskTexts();
  const { id, name, archivedAt, tickets } = event;
  const owner = useMay('owner');
  const act = archivedAt === null ? 'archive' : 'unarchive';
  const Delete = owner ? DeleteEvent : DeleteUnused;
  return (
    <div className="row-actions">
      <RowDialog text={events.rename} of={name} dialog={<EventForm event={event} />} />
      <RowChange
        key={act}
        text={events[act]}
        of={name}
        route={`POST /events/:id/${act}`}
        input={{ id }}
      />
      <MoveEvent event={event} />
      {(tickets.total === 0 || owner) && (
        <RowMenu of={name} items={[{ text: general.delete, dialog: <Delete event={event} /> }]} />
      )}
    </div>
  );
}

interface EventFormProps {
  readonly event?: Event;
}

/** Creates an event, or renames one. */
export function EventForm({ event }: EventFormProps) {
  const { events, general } = useDeskTexts();
  const [name, setName] = useState(event?.name ?? '');
  return (
    <ChangeModal
      title={event ? events.rename : events.create}
      submit={event ? general.save : general.create}
      route={event ? 'PATCH /events/:id' : 'POST /events'}
      input={{ ...(event && { id: event.id }), name }}
    >
      <NameField
        name="name"
        value={name}
        onChange={(change) => setName(change.currentTarget.value)}
      />
    </ChangeModal>
  );
}

type DeleteProps = Required<EventFormProps>;

/** Lets owners delete an event. One without tickets may still have scans, which only go with everything. */
function DeleteEvent({ event }: DeleteProps) {
  const facts = useRead('GET /events/:id/deletion', { id: event.id });
  if (facts.isPending) return null;
  const isUnused = facts.data?.tickets === 0 && facts.data.lastScanAt === null;
  if (isUnused) return <DeleteUnused event={event} />;
  return <DeleteWithTickets event={event} />;
}

/** Deletes an event that was never needed. */
function DeleteUnused({ event: { id, name } }: DeleteProps) {
  const { events, general } = useDeskTexts();
  return (
    <Confirm
      title={events.deleteTitle}
      submit={general.delete}
      route="DELETE /events/:id"
      input={{ id }}
      alsoStale={['keys']}
    >
      {events.deleteText(name)}
    </Confirm>
  );
}

/** Deletes an event with everything that belongs to it, after offering an export and asking for its name. */
function DeleteWithTickets({ event: { id, name } }: DeleteProps) {
  const { navigation, events, general, log } = useDeskTexts();
  const formats = useFormats();
  const facts = useRead('GET /events/:id/deletion', { id });
  const [typed, setTyped] = useState('');
  const [isWrong, setWrong] = useState(false);
  const close = useClose();
  const change = useChange('DELETE /events/:id', 'keys', 'tickets', 'log', 'audit-log');
  const submit = () => {
    // A name may have characters that nobody sees, and so nobody types.
    const isRight = isSameName(typed.trim(), name);
    setWrong(!isRight);
    if (isRight) change.mutate({ id, withTickets: 'true' }, { onSuccess: close });
  };
  return (
    <FormModal
      danger
      title={events.deleteAllTitle}
      submit={general.delete}
      change={change}
      onSubmit={submit}
    >
      <Answered asked={facts}>
        {({ tickets, valid, lastScanAt }) => (
          <>
            <p className="break">{events.deleteAllText(name, formats.number(tickets))}</p>
            <p>
              <strong>{events.stillValid(valid, formats.number(valid))}</strong>{' '}
              {lastScanAt === null
                ? events.neverScanned
                : events.lastScan(formats.dateTime(lastScanAt))}
            </p>
          </>
        )}
      </Answered>
      <p>{events.deleteAllStays}</p>
      <p>{events.exportFirst}</p>
      <div className="form-buttons">
        <span>{navigation.tickets}</span>
        <ExportLinks route="GET /tickets/export" filter={{ event: id }} />
      </div>
      <div className="form-buttons">
        <span>{log.title}</span>
        <ExportLinks route="GET /log/export" filter={{ event: id }} />
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
