import { useState } from 'react';
import type { Event } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { Confirm } from '../../components/confirm.tsx';
import { RowAction } from '../../components/row-action.tsx';
import { Failure } from '../../components/states.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { EventForm } from './event-form.tsx';

/** What an operator can do with an event. Only one without tickets can be deleted. */
export function EventActions({ event }: { event: Event }) {
  const { events, general } = useTexts();
  const [asking, setAsking] = useState<'rename' | 'delete'>();
  const archive = useChange('events');
  const { id, name, archivedAt, tickets } = event;
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
      {tickets.total === 0 && (
        <RowAction
          danger
          text={general.delete}
          label={events.delete(name)}
          onClick={() => setAsking('delete')}
        />
      )}
      {archive.error && <Failure error={archive.error} />}
      {asking === 'rename' && <EventForm event={event} onClose={close} />}
      {asking === 'delete' && (
        <Confirm
          title={events.deleteTitle}
          submit={general.delete}
          act={{ method: 'DELETE', path: `/events/${id}` }}
          changes={['events', 'keys']}
          onClose={close}
        >
          {events.deleteText(name)}
        </Confirm>
      )}
    </div>
  );
}
