import { Alert, Button, Checkbox, NativeSelect } from '@mantine/core';
import { NAME_CHARACTERS_MAX, USES_MULTI_MAX, USES_MULTI_MIN } from '../../core/limits.ts';
import {
  ofEachField,
  TICKET_FIELD_NAMES,
  TICKET_FIELDS,
  type TicketField,
  type TicketFieldName,
} from '../../core/ticket-fields.ts';
import type { Input, Ticket, TicketWithCode } from '../api/http.ts';
import { useEventChoices } from '../api/lists.ts';
import { ChangeModal, PlainModal, useClose } from '../components/dialogs.tsx';
import { bound, CopyField, choicesOf, NumberField, useDraft } from '../components/fields.tsx';
import { PeopleText } from '../components/people-text.tsx';
import { QrPicture } from '../components/qr-picture.tsx';
import { TicketName } from '../components/ticket-values.tsx';
import { TimeField } from '../components/time-field.tsx';
import { Name } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { fieldFromTime, timeFromField } from '../i18n/time-fields.ts';
import { PrintAll } from './many-tickets.tsx';

export const TICKET_KINDS = ['single', 'multi', 'permanent'] as const;

/** When a ticket is valid. */
const WINDOW_FIELDS = ['validFrom', 'validUntil'] as const;
const EDGES = { validFrom: 'from', validUntil: 'until' } as const;

/** What is typed about the fields that people write on a ticket: a text, or whether a mark is set. */
type FieldDraft = Readonly<Record<TicketFieldName, string | boolean>>;

/** What is typed into the form for tickets. */
interface TicketDraft extends Readonly<Record<(typeof WINDOW_FIELDS)[number], string>>, FieldDraft {
  readonly event: string;
  readonly type: (typeof TICKET_KINDS)[number];
  readonly uses: number;
  readonly count: number;
  readonly firstName: string;
  readonly lastName: string;
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
  ...ofEachField(({ kind }) => (kind === 'flag' ? false : '')),
};

/** What a draft asks for: only what was filled in, times with their zone. */
function inputOf(draft: TicketDraft) {
  const { event, type, count, uses, firstName, lastName } = draft;
  const named = firstName !== '' || lastName !== '';
  return {
    event,
    type,
    count,
    ...(type === 'multi' && { uses }),
    ...(named && { holder: { firstName, lastName } }),
    ...(draft.validFrom && { validFrom: timeFromField(draft.validFrom, 'from') }),
    ...(draft.validUntil && { validUntil: timeFromField(draft.validUntil, 'until') }),
    ...writtenIn(draft, (name) => draft[name]),
  };
}

/** The fields of which something is true, with what was typed. */
function writtenIn(draft: FieldDraft, isWanted: (name: TicketFieldName) => unknown): Input {
  return Object.fromEntries(TICKET_FIELD_NAMES.filter(isWanted).map((name) => [name, draft[name]]));
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
    ...ofEachField((_, name) => ticket[name] || NEW_TICKET[name]),
  };
}

/** What is different now: a bound that was not touched keeps its seconds. */
export function changesOf(before: TicketDraft, draft: TicketDraft): Input {
  const { firstName, lastName, uses } = draft;
  const isRenamed = firstName !== before.firstName || lastName !== before.lastName;
  const bounds = WINDOW_FIELDS.filter((name) => draft[name] !== before[name]).map((name) => [
    name,
    draft[name] === '' ? null : timeFromField(draft[name], EDGES[name]),
  ]);
  return {
    ...(isRenamed && { holder: { firstName, lastName } }),
    ...(uses !== before.uses && { uses }),
    ...Object.fromEntries(bounds),
    ...writtenIn(draft, (name) => draft[name] !== before[name]),
  };
}

interface CreateTicketsProps {
  /** Chosen beforehand. */
  readonly eventId: string;
  readonly onCreated: (tickets: readonly TicketWithCode[]) => void;
}

/** New tickets of one kind for one event. */
export function CreateTickets({ eventId, onCreated }: CreateTicketsProps) {
  const { tickets, general } = useDeskTexts();
  const events = useEventChoices(eventId);
  const { draft, setDraft } = useDraft({ ...NEW_TICKET, event: eventId });
  const chosen = { ...draft, event: draft.event || (events[0]?.value ?? '') };
  return (
    <ChangeModal
      title={tickets.create}
      submit={general.create}
      isBlocked={events.length === 0}
      route="POST /tickets"
      input={inputOf(chosen)}
      alsoStale={['events']}
      onDone={({ items }) => onCreated(items)}
    >
      {events.length === 0 ? (
        <p>{tickets.needsEvent}</p>
      ) : (
        <TicketFields draft={chosen} events={events} onChange={setDraft} />
      )}
    </ChangeModal>
  );
}

const SHOWN_MAX = 20;

/** What was just created: one ticket with its code, several as a list to go on from. */
export function CreatedTickets({ created }: { created: readonly TicketWithCode[] }) {
  const { tickets, general } = useDeskTexts();
  const [first] = created;
  return (
    <PlainModal title={tickets.createdTitle(created.length)}>
      <div className="form">
        {first && created.length === 1 && (
          <>
            <QrPicture text={first.code} label={tickets.qr} />
            <CopyField label={tickets.code} value={first.code} />
          </>
        )}
        <ul className="ticket-links">
          {created.slice(0, SHOWN_MAX).map((ticket) => (
            <li key={ticket.ticketId}>
              <TicketName id={ticket.ticketId} ticket={ticket} />{' '}
              {ticket.reference && (
                <span className="dimmed">
                  <Name>{ticket.reference}</Name>
                </span>
              )}
            </li>
          ))}
        </ul>
        {created.length > SHOWN_MAX && (
          <p className="dimmed">{tickets.moreCreated(created.length - SHOWN_MAX)}</p>
        )}
        {first?.batch && (
          <p>
            {tickets.batch}: <span className="mono">{first.batch}</span>
          </p>
        )}
        <div className="form-buttons">
          <PrintAll ids={created.map(({ ticketId }) => ticketId)} />
          <Button onClick={useClose()}>{general.close}</Button>
        </div>
      </div>
    </PlainModal>
  );
}

interface TicketFieldsProps {
  readonly draft: TicketDraft;
  readonly events: ReturnType<typeof useEventChoices>;
  readonly onChange: (draft: TicketDraft) => void;
}

const COUNT_MAX = 1000;

/** Kind, number, holder and window of new tickets (section 2.2). */
function TicketFields({ draft, events, onChange }: TicketFieldsProps) {
  const { tickets } = useDeskTexts();
  const field = bound(draft, onChange);
  return (
    <>
      <NativeSelect label={tickets.event} data={events} {...field('event')} />
      <NativeSelect
        label={tickets.type}
        description={draft.type === 'permanent' && tickets.permanentHelp}
        data={choicesOf(TICKET_KINDS, tickets)}
        {...field('type')}
      />
      <div className="columns">
        {draft.type === 'multi' && (
          <NumberField
            label={tickets.uses}
            min={USES_MULTI_MIN}
            max={USES_MULTI_MAX}
            {...field('uses')}
          />
        )}
        <NumberField label={tickets.count} min={1} max={COUNT_MAX} {...field('count')} />
      </div>
      <TextFields draft={draft} onChange={onChange} />
    </>
  );
}

/** Holder, window, and what is written on a ticket. */
export function TextFields({ draft, onChange }: Omit<TicketFieldsProps, 'events'>) {
  const { tickets } = useDeskTexts();
  const bind = bound(draft, onChange);
  const field = (name: 'firstName' | 'lastName' | 'validFrom' | 'validUntil') => ({
    label: tickets[name],
    ...bind(name),
  });
  return (
    <>
      <div className="columns">
        <PeopleText
          {...field('firstName')}
          charactersMax={NAME_CHARACTERS_MAX}
          autoComplete="off"
        />
        <PeopleText {...field('lastName')} charactersMax={NAME_CHARACTERS_MAX} autoComplete="off" />
      </div>
      <div className="columns">
        <TimeField {...field('validFrom')} />
        <TimeField {...field('validUntil')} />
      </div>
      <WrittenFields draft={draft} onChange={onChange} />
      {draft.validUntil !== '' &&
        Date.parse(timeFromField(draft.validUntil, 'until')) < Date.now() && (
          <Alert color="yellow" role="status">
            {tickets.endsInPast}
          </Alert>
        )}
    </>
  );
}

/** A field for each text that people write on a ticket, and a box for each mark. */
function WrittenFields({ draft, onChange }: Omit<TicketFieldsProps, 'events'>) {
  const { tickets } = useDeskTexts();
  return TICKET_FIELD_NAMES.map((name) => {
    const { kind, charactersMax }: TicketField = TICKET_FIELDS[name];
    const label = tickets.fields[name];
    const change = (value: string | boolean) => onChange({ ...draft, [name]: value });
    if (kind === 'flag')
      return (
        <Checkbox
          key={name}
          name={name}
          label={label}
          checked={draft[name] === true}
          onChange={({ currentTarget }) => change(currentTarget.checked)}
        />
      );
    return (
      <PeopleText
        key={name}
        name={name}
        label={label}
        autoComplete="off"
        charactersMax={charactersMax ?? 0}
        value={String(draft[name])}
        onChange={({ currentTarget }) => change(currentTarget.value)}
      />
    );
  });
}
