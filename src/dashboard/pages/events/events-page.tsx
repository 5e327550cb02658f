import { Badge, Button, Switch } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { offered, useEvents } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { Event } from '../../api/types.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { EventActions } from './event-actions.tsx';
import { EventForm } from './event-form.tsx';

/** Events: create, rename, archive, delete, and the way to their tickets. */
export function EventsPage() {
  const texts = useTexts();
  const operator = useMay('operator');
  const events = useEvents();
  const [isCreating, setCreating] = useState(false);
  const [archived, setArchived] = useState(false);
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
                  onChange={(change) => setArchived(change.currentTarget.checked)}
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
    { title: general.created, cell: ({ createdAt }) => <TimeText at={createdAt} /> },
  ];
  if (!operator) return columns;
  return [...columns, { title: general.actions, cell: (event) => <EventActions event={event} /> }];
}
