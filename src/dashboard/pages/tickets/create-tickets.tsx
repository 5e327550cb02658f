import { useState } from 'react';
import { offered, useEvents } from '../../api/lists.ts';
import type { Event, TicketWithCode } from '../../api/types.ts';
import { useChange } from '../../api/use-api.ts';
import { FormModal } from '../../components/form-modal.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { NEW_TICKET, requestOf } from './ticket-draft.ts';
import { TicketFields } from './ticket-fields.tsx';

interface CreateTicketsProps {
  /** Chosen beforehand. */
  readonly eventId: string | undefined;
  readonly onClose: () => void;
  readonly onCreated: (tickets: readonly TicketWithCode[]) => void;
}

/** New tickets of one kind for one event. */
export function CreateTickets(props: CreateTicketsProps) {
  const { tickets, general } = useTexts();
  const events = offered(useEvents().data?.items ?? [], (id) => id === props.eventId);
  const [draft, setDraft] = useState({ ...NEW_TICKET, event: props.eventId ?? '' });
  const create = useChange<{ items: TicketWithCode[] }>('tickets', 'events');
  const event = draft.event || firstOf(events);
  return (
    <FormModal
      title={tickets.create}
      submit={general.create}
      change={create}
      onClose={props.onClose}
      onSubmit={() =>
        create.mutate(
          { method: 'POST', path: '/tickets', body: requestOf({ ...draft, event }) },
          { onSuccess: ({ items }) => props.onCreated(items) },
        )
      }
    >
      {events.length === 0 ? (
        <p>{tickets.needsEvent}</p>
      ) : (
        <TicketFields draft={{ ...draft, event }} events={events} onChange={setDraft} />
      )}
    </FormModal>
  );
}

function firstOf(events: readonly Event[]): string {
  return events[0]?.id ?? '';
}
