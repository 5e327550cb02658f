import { useState } from 'react';
import { useMay } from '../../api/session.tsx';
import type { Event } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { RowAction } from '../../components/row-action.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { DeleteEvent, DeleteUnused } from './delete-with-tickets.tsx';
import { EventForm } from './event-form.tsx';

/** What an operator can do with an event. Only owners delete one with its tickets. */
export function EventActions({ event }: { event: Event }) {
  const { events, general } = useTexts();
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const archive = useChange('events');
  const { id, name, archivedAt, tickets } = event;
  const owner = useMay('owner');
  const isEmpty = tickets.total === 0;
  const act = archivedAt === null ? 'archive' : 'unarchive';
  const close = () => setAsking(undefined);
  return (
    <div className="card-actions">
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
