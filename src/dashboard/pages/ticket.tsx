import { Button } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { Link, useLocation } from 'wouter';
import {
  isNearItsEnd,
  REASON_CHARACTERS_MAX,
  USES_MULTI_MAX,
  USES_MULTI_MIN,
} from '../../core/limits.ts';
import { fieldsThat, TICKET_FIELD_NAMES, type TicketFieldName } from '../../core/ticket-fields.ts';
import { addressOf, type LogEntry, type ShownTicket, type Ticket } from '../api/http.ts';
import { useEventName } from '../api/lists.ts';
import { useMay, useRead } from '../api/use-api.tsx';
import {
  ChangeButton,
  ChangeModal,
  ConfirmButton,
  DialogButton,
  PlainModal,
  useClose,
} from '../components/dialogs.tsx';
import { CopyField, NumberField, useDraft } from '../components/fields.tsx';
import { WhereInForce } from '../components/in-force.tsx';
import { Answered, Warning } from '../components/page.tsx';
import { PageHead } from '../components/page-head.tsx';
import { PeopleText } from '../components/people-text.tsx';
import { QrPicture } from '../components/qr-picture.tsx';
import { LogHistory } from '../components/scans.tsx';
import { Facts, TicketBadge, useLeft } from '../components/ticket-values.tsx';
import { endOfId, holderOf, Name, TimeText } from '../components/values.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { pageZone } from '../i18n/formats.ts';
import { useFormats } from '../i18n/language.tsx';
import { useScanByHand } from '../scanner/use-scans.ts';
import { SecondLook } from './by-hand.tsx';
import { EraseHolders } from './many-tickets.tsx';
import { changesOf, draftOf, TextFields } from './new-tickets.tsx';
import { PrivacyReport } from './privacy-report.tsx';
import { OneOutcome } from './scan-result.tsx';

const REFRESH_MS = 5000;

/** One ticket: its code, its state, its whole history, and what can be done with it. */
export function TicketPage({ id }: { id: string }) {
  const { tickets } = useDeskTexts();
  const formats = useFormats();
  const ticket = useRead('GET /tickets/:id', { id }, { everyMs: REFRESH_MS });
  return (
    <>
      <Link href="/tickets">← {tickets.back}</Link>
      <PageHead title={ticket.data ? <TitleOf ticket={ticket.data} /> : tickets.ticket}>
        {ticket.data && <TicketActions ticket={ticket.data} />}
      </PageHead>
      <Answered asked={ticket}>
        {(found) => (
          <>
            {isNearItsEnd(found) && (
              <Warning role="status">
                {tickets.nearItsEnd(formats.number(found.usesRemaining))}
              </Warning>
            )}
            <div className="ticket panel">
              <TicketPicture ticket={found} />
              <div>
                <TicketFacts ticket={found} />
                {found.code !== null && <CopyField label={tickets.code} value={found.code} />}
              </div>
            </div>
            <TicketScans ticketId={found.ticketId} />
          </>
        )}
      </Answered>
    </>
  );
}

/** The code of a ticket that a gate admits, for who may see codes; of another one, in its place, why it does not. */
function TicketPicture({ ticket: { state, code } }: { ticket: ShownTicket }) {
  const { tickets } = useDeskTexts();
  if (state !== 'valid' && state !== 'not_yet_valid') {
    return <strong className="ticket-band">{tickets.states[state]}</strong>;
  }
  return code !== null && <QrPicture text={code} label={tickets.qr} />;
}

/** The guest; without one the kind of ticket and the end of its id. */
function TitleOf({ ticket }: { ticket: ShownTicket }) {
  const { tickets } = useDeskTexts();
  const holder = holderOf(ticket);
  if (holder !== '') return <Name>{holder}</Name>;
  return (
    <>
      {tickets[ticket.kind]} <span className="mono">{endOfId(ticket.ticketId)}</span>
    </>
  );
}

function TicketFacts({ ticket }: { ticket: ShownTicket }) {
  const { tickets, general, lists, inForce: inForceTexts } = useDeskTexts();
  const eventName = useEventName();
  const left = useLeft();
  const holder = holderOf(ticket);
  const { ticketId, batch, validFrom, validUntil, replaces, replacedBy, inForce } = ticket;
  return (
    <Facts
      facts={{
        [tickets.holder]: holder === '' ? '–' : <Name>{holder}</Name>,
        [general.state]: <TicketBadge state={ticket.state} />,
        [inForceTexts.title]: inForce && <WhereInForce inForce={inForce} />,
        [tickets.type]: tickets[ticket.kind],
        [tickets.uses]: left(ticket),
        [tickets.event]: <Name>{eventName(ticket.event)}</Name>,
        [tickets.validFrom]: <TimeText at={validFrom} otherwise={tickets.noBegin} />,
        [tickets.validUntil]: <TimeText at={validUntil} otherwise={tickets.noEnd} />,
        ...writtenFacts(ticket, tickets.fields, tickets.marked),
        [tickets.batch]: batch ? (
          <Link href={`/tickets?batch=${batch}`} className="mono">
            {batch}
          </Link>
        ) : (
          general.none
        ),
        ...(replaces !== null && { [tickets.replaces]: <OtherTicket id={replaces} /> }),
        ...(replacedBy !== null && { [tickets.replacedBy]: <OtherTicket id={replacedBy} /> }),
        [lists.columns.ticketId]: <span className="mono">{ticketId}</span>,
      }}
    />
  );
}

/** Whether anything of it can be erased. */
function tellsOfGuest(ticket: Ticket): boolean {
  const personal = fieldsThat(({ isPersonal }) => isPersonal);
  return ticket.holder !== null || personal.some((name) => ticket[name]);
}

/** What is written on a ticket. */
function writtenFacts(
  ticket: ShownTicket,
  labels: Readonly<Record<TicketFieldName, string>>,
  yes: string,
) {
  const facts = TICKET_FIELD_NAMES.flatMap((name) => {
    const value = ticket[name];
    if (!value) return [];
    if (value === true) return [[labels[name], yes]];
    return [[labels[name], <WrittenText key={name} name={name} text={value} />]];
  });
  return Object.fromEntries(facts) as Record<string, ReactNode>;
}

/** A text on a ticket; a reference leads to all tickets that have it. */
function WrittenText({ name, text }: { name: TicketFieldName; text: string }) {
  if (name !== 'reference') return <Name>{text}</Name>;
  return (
    <Link href={`/tickets?reference=${encodeURIComponent(text)}`}>
      <Name>{text}</Name>
    </Link>
  );
}

function OtherTicket({ id }: { id: string }) {
  return (
    <Link href={`/tickets/${id}`} className="mono">
      {id}
    </Link>
  );
}

/** Print; edit, replace, cancel or reinstate; delete what was never used. */
function TicketActions({ ticket }: { ticket: ShownTicket }) {
  const { tickets, scanner } = useDeskTexts();
  const operator = useMay('operator');
  const { ticketId: id, replacedBy } = ticket;
  const isLinked = replacedBy !== null || ticket.replaces !== null;
  const isCancelled = ticket.state === 'cancelled';
  // A site makes no codes.
  const print = ticket.code !== null && (
    <Button
      component="a"
      variant="default"
      download
      href={addressOf('GET /tickets/:id/sheet.pdf', { id, timeZone: pageZone() })}
      leftSection={<IconPrinter size={18} aria-hidden />}
    >
      {tickets.print}
    </Button>
  );
  return (
    <>
      {operator && !isCancelled && print}
      {operator && (
        <DialogButton variant="default" dialog={<EditTicket ticket={ticket} />}>
          {tickets.edit}
        </DialogButton>
      )}
      {operator && (
        <DialogButton variant="default" dialog={<LetIn ticket={ticket} />}>
          {scanner.letIn}
        </DialogButton>
      )}
      <PrivacyReport ticket={ticket} />
      <EraseHolders ids={tellsOfGuest(ticket) ? [id] : []} />
      {operator && !isCancelled && <ReplaceTicket id={id} />}
      {operator && ticket.usesConsumed === 0 && !isLinked && <DeleteTicket id={id} />}
      {operator && !isCancelled && (
        <ConfirmButton
          text={tickets.cancelTicket}
          look={{ color: 'red', variant: 'light' }}
          title={tickets.cancelTitle}
          dismiss={tickets.keep}
          route="POST /tickets/cancel"
          input={{ ids: [id] }}
        >
          {tickets.cancelText}
        </ConfirmButton>
      )}
      {operator && isCancelled && replacedBy === null && (
        <ChangeButton route="POST /tickets/reinstate" input={{ ids: [id] }}>
          {tickets.reinstate}
        </ChangeButton>
      )}
      {operator && isCancelled && print}
    </>
  );
}

/** A scan by hand: a second look, then the answer. */
function LetIn({ ticket }: { ticket: ShownTicket }) {
  const { scanner, general } = useDeskTexts();
  const close = useClose();
  const eventName = useEventName();
  const { scan, queue, ask, retry } = useScanByHand(ticket.ticketId);
  const guest = { ...ticket, eventName: eventName(ticket.event) };
  return (
    <PlainModal title={scan ? scanner.letIn : scanner.secondLook}>
      {scan ? (
        <>
          <OneOutcome scan={scan} queue={queue} retry={retry} />
          <div className="form-buttons">
            <Button onClick={close}>{general.close}</Button>
          </div>
        </>
      ) : (
        <SecondLook guest={guest} ask={ask} onBack={close} back={general.cancel} />
      )}
    </PlainModal>
  );
}

/** Replaces the ticket of a lost card; then shows the new one, to print it. */
function ReplaceTicket({ id }: { id: string }) {
  const { tickets } = useDeskTexts();
  const [, navigate] = useLocation();
  return (
    <ConfirmButton
      text={tickets.replace}
      look={{ variant: 'default' }}
      title={tickets.replaceTitle}
      dismiss={tickets.keep}
      route="POST /tickets/:id/replace"
      input={{ id }}
      alsoStale={['events']}
      onDone={({ ticketId }) => navigate(`/tickets/${ticketId}`)}
    >
      {tickets.replaceText}
    </ConfirmButton>
  );
}

/** Only a ticket that the scan log does not name can be deleted. */
function DeleteTicket({ id }: { id: string }) {
  const { tickets } = useDeskTexts();
  const [, navigate] = useLocation();
  const logged = useRead('GET /log', { ticket: id, limit: 1 });
  if (logged.isPlaceholderData || logged.data?.items.length !== 0) return null;
  return (
    <ConfirmButton
      text={tickets.deleteTicket}
      look={{ color: 'red', variant: 'subtle' }}
      title={tickets.deleteTitle}
      dismiss={tickets.keep}
      route="DELETE /tickets/:id"
      input={{ id }}
      alsoStale={['events']}
      onDone={() => navigate('/tickets')}
    >
      {tickets.deleteText}
    </ConfirmButton>
  );
}

/** Holder, window and uses of a ticket that was sold. */
function EditTicket({ ticket }: { ticket: Ticket }) {
  const { tickets, general } = useDeskTexts();
  const [before] = useState(() => draftOf(ticket));
  const { draft, setDraft, field } = useDraft(before);
  const { ticketId: id, kind, usesConsumed } = ticket;
  return (
    <ChangeModal
      title={tickets.edit}
      submit={general.save}
      route="PATCH /tickets/:id"
      input={{ id, ...changesOf(before, draft) }}
    >
      <p>{tickets.editHelp}</p>
      {kind === 'multi' && (
        <NumberField
          label={tickets.uses}
          description={tickets.usesHelp(usesConsumed)}
          min={Math.max(USES_MULTI_MIN, usesConsumed)}
          max={USES_MULTI_MAX}
          {...field('uses')}
        />
      )}
      <TextFields draft={draft} onChange={setDraft} />
    </ChangeModal>
  );
}

/** Every scan of one ticket, newest first; an operator takes a use back that was a mistake. */
function TicketScans({ ticketId }: { ticketId: string }) {
  const { tickets, general } = useDeskTexts();
  const operator = useMay('operator');
  const actions = {
    title: general.actions,
    cell: (entry: LogEntry) =>
      canBeUndone(entry) && (
        <DialogButton size="compact-xs" variant="default" dialog={<UndoUse entry={entry} />}>
          {tickets.undo}
        </DialogButton>
      ),
  };
  return (
    <section>
      <h2>{tickets.history}</h2>
      <LogHistory
        conditions={{ ticket: ticketId }}
        label={tickets.history}
        empty={tickets.noHistory}
        withTicket={false}
        {...(operator && { actions })}
      />
    </section>
  );
}

function canBeUndone({ outcome, replayed, undoneBy }: LogEntry): boolean {
  return outcome === 'consumed' && !replayed && undoneBy === undefined;
}

/** Asks why a use is taken back, and takes it back. */
function UndoUse({ entry: { sequence, at } }: { entry: LogEntry }) {
  const { tickets } = useDeskTexts();
  const { draft, field } = useDraft({ reason: '' });
  return (
    <ChangeModal
      title={tickets.undoTitle}
      submit={tickets.undo}
      route="POST /log/:sequence/undo"
      input={{ sequence, ...draft }}
      alsoStale={['tickets']}
    >
      <p>
        <TimeText at={at} only="seconds" />
      </p>
      <p>{tickets.undoText}</p>
      <PeopleText
        label={tickets.undoReason}
        required
        charactersMax={REASON_CHARACTERS_MAX}
        data-autofocus
        autoComplete="off"
        {...field('reason')}
      />
    </ChangeModal>
  );
}
