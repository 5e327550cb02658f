import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'wouter';
import { useEvents } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { Event } from '../../api/types.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Name } from '../../components/name.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { Answered, Empty } from '../../components/states.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { EventForm } from './event-form.tsx';

/** Events: create, rename, and the way to their tickets. */
export function EventsPage() {
  const texts = useTexts();
  const operator = useMay('operator');
  const events = useEvents();
  const [editing, setEditing] = useState<Event | 'new'>();
  const columns = useColumns(operator ? setEditing : undefined);
  return (
    <>
      <PageHead title={texts.events.title}>
        {operator && (
          <Button
            leftSection={<IconPlus size={18} aria-hidden />}
            onClick={() => setEditing('new')}
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
            <DataTable
              label={texts.events.title}
              columns={columns}
              rows={items}
              keyOf={({ id }) => id}
            />
          )
        }
      </Answered>
      {editing && <EventForm event={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function useColumns(rename: ((event: Event) => void) | undefined): Column<Event>[] {
  const { events, general } = useTexts();
  const formats = useFormats();
  const columns: Column<Event>[] = [
    { title: general.name, cell: ({ name }) => <Name>{name}</Name> },
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
  if (!rename) return columns;
  const cell = (event: Event) => (
    <Button
      size="xs"
      variant="default"
      aria-label={events.renameNamed(event.name)}
      onClick={() => rename(event)}
    >
      {events.rename}
    </Button>
  );
  return [...columns, { title: general.actions, cell }];
}
