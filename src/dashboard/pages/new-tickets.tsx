import { Alert, Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'wouter';
import { USES_MULTI_MAX } from '../../core/limits.ts';
import { offered, useEvents } from '../api/lists.ts';
import type { Event, Ticket, TicketWithCode } from '../api/types.ts';
import { useChange } from '../api/use-api.ts';
import { FormModal } from '../components/dialogs.tsx';
import { CopyField, NumberField } from '../components/fields.tsx';
import { QrPicture } from '../components/qr-picture.tsx';
import { fieldFromTime, timeFromField } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';
import { PrintAll } from './many-tickets.tsx';

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

const SHOWN_MAX = 20;

/** What was just created: one ticket with its code, several as a list to go on from. */
export function CreatedTickets({
  tickets,
  onClose,
}: {
  tickets: readonly TicketWithCode[];
  onClose: () => void;
}) {
  const texts = useTexts();
  const [only] = tickets.length === 1 ? tickets : [];
  return (
    <Modal
      opened
      onClose={onClose}
      title={texts.tickets.createdTitle(tickets.length)}
      closeButtonProps={{ 'aria-label': texts.general.close }}
    >
      <div className="form">
        {only ? (
          <>
            <QrPicture text={only.code} label={texts.tickets.qr} />
            <CopyField label={texts.tickets.code} value={only.code} />
          </>
        ) : null}
        <ul className="ticket-links">
          {tickets.slice(0, SHOWN_MAX).map(({ ticketId }) => (
            <li key={ticketId}>
              <Link href={`/tickets/${ticketId}`} className="mono">
                {ticketId}
              </Link>
            </li>
          ))}
        </ul>
        {tickets.length > SHOWN_MAX && <p className="dimmed">… {tickets.length - SHOWN_MAX}</p>}
        {tickets[0]?.batch && (
          <p>
            {texts.tickets.batch}: <span className="mono">{tickets[0].batch}</span>
          </p>
        )}
        <div className="form-buttons">
          <PrintAll ids={tickets.map(({ ticketId }) => ticketId)} />
          <Button onClick={onClose}>{texts.general.close}</Button>
        </div>
      </div>
    </Modal>
  );
}

interface TicketFieldsProps {
  readonly draft: TicketDraft;
  readonly events: readonly Event[];
  readonly onChange: (draft: TicketDraft) => void;
}

const COUNT_MAX = 1000;

/** Kind, number, holder and window of new tickets (section 2.2). */
function TicketFields({ draft, events, onChange }: TicketFieldsProps) {
  const { tickets } = useTexts();
  const kinds = (['single', 'multi', 'permanent'] as const).map((value) => ({
    value,
    label: tickets[value],
  }));
  return (
    <>
      <NativeSelect
        label={tickets.event}
        data={events.map(({ id, name }) => ({ value: id, label: name }))}
        value={draft.event}
        onChange={(change) => onChange({ ...draft, event: change.currentTarget.value })}
      />
      <NativeSelect
        label={tickets.type}
        description={draft.type === 'permanent' && tickets.permanentHelp}
        data={kinds}
        value={draft.type}
        onChange={(change) =>
          onChange({ ...draft, type: change.currentTarget.value as TicketDraft['type'] })
        }
      />
      <div className="columns">
        {draft.type === 'multi' && (
          <NumberField
            label={tickets.uses}
            min={2}
            max={USES_MULTI_MAX}
            value={draft.uses}
            onChange={(value) => onChange({ ...draft, uses: value })}
          />
        )}
        <NumberField
          label={tickets.count}
          min={1}
          max={COUNT_MAX}
          value={draft.count}
          onChange={(value) => onChange({ ...draft, count: value })}
        />
      </div>
      <TextFields draft={draft} onChange={onChange} />
    </>
  );
}

/** Holder and window. */
export function TextFields({ draft, onChange }: Omit<TicketFieldsProps, 'events'>) {
  const { tickets } = useTexts();
  const field = (name: 'firstName' | 'lastName' | 'validFrom' | 'validUntil') => ({
    label: tickets[name],
    value: draft[name],
    onChange: (change: { currentTarget: { value: string } }) =>
      onChange({ ...draft, [name]: change.currentTarget.value }),
  });
  return (
    <>
      <div className="columns">
        <TextInput {...field('firstName')} autoComplete="off" />
        <TextInput {...field('lastName')} autoComplete="off" />
      </div>
      <div className="columns">
        <TextInput {...field('validFrom')} type="datetime-local" />
        <TextInput {...field('validUntil')} type="datetime-local" />
      </div>
      {draft.validUntil !== '' && Date.parse(draft.validUntil) < Date.now() && (
        <Alert color="orange" role="status">
          {tickets.endsInPast}
        </Alert>
      )}
    </>
  );
}

/** What is typed into the form for new tickets. */
/** When a ticket is valid. */
export const WINDOW_FIELDS = ['validFrom', 'validUntil'] as const;

interface TicketDraft {
  readonly event: string;
  readonly type: 'single' | 'multi' | 'permanent';
  readonly uses: number;
  readonly count: number;
  readonly firstName: string;
  readonly lastName: string;
  /** As `datetime-local` gives it: the viewer's zone; empty for no limit. */
  readonly validFrom: string;
  readonly validUntil: string;
}

export const NEW_TICKET: TicketDraft = {
  event: '',
  type: 'single',
  uses: 10,
  count: 1,
  firstName: '',
  lastName: '',
  validFrom: '',
  validUntil: '',
};

/** The request for a draft: only what was filled in, times with their zone. */
function requestOf(draft: TicketDraft): object {
  const { event, type, count, uses, firstName, lastName } = draft;
  const named = firstName !== '' || lastName !== '';
  return {
    event,
    type,
    count,
    ...(type === 'multi' && { uses }),
    ...(named && { holder: { firstName, lastName } }),
    ...(draft.validFrom && { validFrom: timeFromField(draft.validFrom) }),
    ...(draft.validUntil && { validUntil: timeFromField(draft.validUntil) }),
  };
}

/** What a stored ticket looks like in the form. */
export function draftOf(ticket: Ticket): TicketDraft {
  return {
    ...NEW_TICKET,
    event: ticket.event,
    type: ticket.kind,
    uses: ticket.usesAllowed,
    firstName: ticket.holder?.firstName ?? '',
    lastName: ticket.holder?.lastName ?? '',
    validFrom: fieldFromTime(ticket.validFrom),
    validUntil: fieldFromTime(ticket.validUntil),
  };
}

/** The request for what is different now: a bound that was not touched keeps its seconds. */
export function changesOf(before: TicketDraft, draft: TicketDraft): object {
  const { firstName, lastName, uses } = draft;
  const isRenamed = firstName !== before.firstName || lastName !== before.lastName;
  const bound = (name: 'validFrom' | 'validUntil') =>
    draft[name] !== before[name] && {
      [name]: draft[name] === '' ? null : timeFromField(draft[name]),
    };
  return {
    ...(isRenamed && { holder: { firstName, lastName } }),
    ...(uses !== before.uses && { uses }),
    ...bound('validFrom'),
    ...bound('validUntil'),
  };
}
