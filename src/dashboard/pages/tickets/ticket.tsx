import { Alert, Button, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconPrinter } from '@tabler/icons-react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { isNearItsEnd, USES_MULTI_MAX, USES_MULTI_MIN } from '../../../core/limits.ts';
import { ADMIN_PATH } from '../../api/base-path.ts';
import { queryOf } from '../../api/http.ts';
import { useNameOf } from '../../api/lists.ts';
import { useMay } from '../../api/session.tsx';
import type { LogEntry, Page, Ticket, TicketWithCode } from '../../api/types.ts';
import { useChange, useRead } from '../../api/use-api.ts';
import { TicketBadge } from '../../components/badges.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { FormModal } from '../../components/form-modal.tsx';
import { Name } from '../../components/name.tsx';
import { NumberField } from '../../components/number-field.tsx';
import { PageHead } from '../../components/page-head.tsx';
import { QrPicture } from '../../components/qr-picture.tsx';
import { LogHistory } from '../../components/scan-table.tsx';
import { Answered, Failure } from '../../components/states.tsx';
import { holderOf, useLeft } from '../../components/ticket-name.tsx';
import { TicketWindow } from '../../components/ticket-window.tsx';
import { TimeText } from '../../components/time-text.tsx';
import { pageZone, useFormats } from '../../i18n/formats.ts';
import { useTexts } from '../../i18n/language.tsx';
import { EraseHolders } from './many-tickets.tsx';
import { TextFields } from './new-tickets.tsx';
import { changesOf, draftOf } from './ticket-draft.ts';

const REFRESH_MS = 5000;

/** One ticket: its code, its state, its whole history, and what can be done with it. */
export function TicketPage({ id }: { id: string }) {
  const { tickets } = useTexts();
  const ticket = useRead<TicketWithCode>(`/tickets/${encodeURIComponent(id)}`, {
    everyMs: REFRESH_MS,
  });
  return (
    <>
      <Link href="/tickets">← {tickets.back}</Link>
      <PageHead title={tickets.ticket}>
        {ticket.data && <TicketActions ticket={ticket.data} />}
      </PageHead>
      <Answered asked={ticket}>
        {(found) => (
          <>
            {isNearItsEnd(found) && <NearItsEnd left={found.usesRemaining} />}
            <div className="ticket panel">
              <QrPicture text={found.code} label={tickets.qr} />
              <div>
                <TicketFacts ticket={found} />
                <CopyField label={tickets.code} value={found.code} />
              </div>
            </div>
            <TicketScans ticketId={found.ticketId} />
          </>
        )}
      </Answered>
    </>
  );
}

function NearItsEnd({ left }: { readonly left: number }) {
  const { tickets } = useTexts();
  const formats = useFormats();
  return (
    <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} role="status">
      {tickets.nearItsEnd(formats.number(left))}
    </Alert>
  );
}

function TicketFacts({ ticket }: { ticket: TicketWithCode }) {
  const { tickets, general } = useTexts();
  const eventName = useNameOf('events');
  const left = useLeft();
  const { ticketId, state } = ticket;
  const holder = holderOf(ticket);
  return (
    <dl className="facts">
      <dt>{tickets.ticket}</dt>
      <dd className="mono">{ticketId}</dd>
      <dt>{general.state}</dt>
      <dd>
        <TicketBadge state={state} />
      </dd>
      <dt>{tickets.event}</dt>
      <dd>
        <Name>{eventName(ticket.event)}</Name>
      </dd>
      <dt>{tickets.type}</dt>
      <dd>{tickets[ticket.kind]}</dd>
      <dt>{tickets.uses}</dt>
      <dd>{left(ticket)}</dd>
      <dt>{tickets.holder}</dt>
      <dd>{holder === '' ? '–' : <Name>{holder}</Name>}</dd>
      <TicketWindow ticket={ticket} />
      <dt>{tickets.batch}</dt>
      <dd>
        {ticket.batch ? (
          <Link href={`/tickets?batch=${ticket.batch}`} className="mono">
            {ticket.batch}
          </Link>
        ) : (
          tickets.noBatch
        )}
      </dd>
    </dl>
  );
}

/** Print; edit, cancel or reinstate; delete what was never used. */
function TicketActions({ ticket }: { ticket: Ticket }) {
  const { tickets } = useTexts();
  const operator = useMay('operator');
  const [asking, setAsking] = useState<'cancel' | 'edit'>();
  const close = () => setAsking(undefined);
  const reinstate = useChange('tickets');
  const path = `/tickets/${ticket.ticketId}`;
  const body = { ids: [ticket.ticketId] };
  return (
    <>
      <Button
        component="a"
        variant="default"
        download
        href={`${ADMIN_PATH}${path}/sheet.pdf${queryOf({ timeZone: pageZone() })}`}
        leftSection={<IconPrinter size={18} aria-hidden />}
      >
        {tickets.print}
      </Button>
      {operator && (
        <Button variant="default" onClick={() => setAsking('edit')}>
          {tickets.edit}
        </Button>
      )}
      <EraseHolders ids={[ticket.ticketId]} isOffered={ticket.holder !== null} />
      {operator && ticket.usesConsumed === 0 && <DeleteTicket ticketId={ticket.ticketId} />}
      {operator && ticket.state === 'cancelled' && (
        <Button
          loading={reinstate.isPending}
          onClick={() => reinstate.mutate({ method: 'POST', path: '/tickets/reinstate', body })}
        >
          {tickets.reinstate}
        </Button>
      )}
      {operator && ticket.state !== 'cancelled' && (
        <Button color="red" variant="light" onClick={() => setAsking('cancel')}>
          {tickets.cancelTicket}
        </Button>
      )}
      {reinstate.error && <Failure error={reinstate.error} />}
      {asking === 'edit' && <EditTicket ticket={ticket} onClose={close} />}
      {asking === 'cancel' && (
        <Confirm
          title={tickets.cancelTitle}
          submit={tickets.cancelTicket}
          dismiss={tickets.keep}
          act={{ method: 'POST', path: '/tickets/cancel', body }}
          changes={['tickets']}
          onClose={close}
        >
          {tickets.cancelText}
        </Confirm>
      )}
    </>
  );
}

/** Only a ticket that the scan log does not name can be deleted. */
function DeleteTicket({ ticketId }: { ticketId: string }) {
  const { tickets } = useTexts();
  const [, navigate] = useLocation();
  const [asking, setAsking] = useState(false);
  const logged = useRead<Page<unknown>>(`/log?ticket=${ticketId}&limit=1`);
  if (logged.isPlaceholderData || logged.data?.items.length !== 0) return null;
  return (
    <>
      <Button color="red" variant="subtle" onClick={() => setAsking(true)}>
        {tickets.deleteTicket}
      </Button>
      {asking && (
        <Confirm
          title={tickets.deleteTitle}
          submit={tickets.deleteTicket}
          dismiss={tickets.keep}
          act={{ method: 'DELETE', path: `/tickets/${ticketId}` }}
          changes={['tickets', 'events']}
          onClose={() => setAsking(false)}
          onDone={() => navigate('/tickets')}
        >
          {tickets.deleteText}
        </Confirm>
      )}
    </>
  );
}

/** Holder, window and uses of a ticket that was sold. */
function EditTicket({ ticket, onClose }: { ticket: Ticket; onClose: () => void }) {
  const { tickets, general } = useTexts();
  const [before] = useState(() => draftOf(ticket));
  const [draft, setDraft] = useState(before);
  const edit = useChange('tickets');
  const path = `/tickets/${ticket.ticketId}`;
  return (
    <FormModal
      title={tickets.edit}
      submit={general.save}
      change={edit}
      onClose={onClose}
      onSubmit={() =>
        edit.mutate(
          { method: 'PATCH', path, body: changesOf(before, draft) },
          { onSuccess: onClose },
        )
      }
    >
      <p>{tickets.editHelp}</p>
      {ticket.kind === 'multi' && (
        <NumberField
          label={tickets.uses}
          description={tickets.usesHelp(ticket.usesConsumed)}
          min={Math.max(USES_MULTI_MIN, ticket.usesConsumed)}
          max={USES_MULTI_MAX}
          value={draft.uses}
          onChange={(value) => setDraft({ ...draft, uses: value })}
        />
      )}
      <TextFields draft={draft} onChange={setDraft} />
    </FormModal>
  );
}

/** Every scan of one ticket, newest first; an operator takes a use back that was a mistake. */
function TicketScans({ ticketId }: { ticketId: string }) {
  const { tickets, general } = useTexts();
  const operator = useMay('operator');
  const [undoing, setUndoing] = useState<LogEntry>();
  const actions = {
    title: general.actions,
    cell: (entry: LogEntry) =>
      canBeUndone(entry) && (
        <Button size="compact-xs" variant="default" onClick={() => setUndoing(entry)}>
          {tickets.undo}
        </Button>
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
      {undoing && <UndoUse entry={undoing} onClose={() => setUndoing(undefined)} />}
    </section>
  );
}

function canBeUndone({ outcome, replayed, undoneBy }: LogEntry): boolean {
  return outcome === 'consumed' && !replayed && undoneBy === undefined;
}

const REASON_CHARACTERS_MAX = 200;

/** Asks why a use is taken back, and takes it back. */
function UndoUse({ entry, onClose }: { entry: LogEntry; onClose: () => void }) {
  const { tickets } = useTexts();
  const [reason, setReason] = useState('');
  const undo = useChange('log', 'tickets');
  const path = `/log/${entry.sequence}/undo`;
  return (
    <FormModal
      title={tickets.undoTitle}
      submit={tickets.undo}
      change={undo}
      onClose={onClose}
      onSubmit={() =>
        undo.mutate({ method: 'POST', path, body: { reason } }, { onSuccess: onClose })
      }
    >
      <p>
        <TimeText at={entry.at} />
      </p>
      <p>{tickets.undoText}</p>
      <TextInput
        label={tickets.undoReason}
        required
        maxLength={REASON_CHARACTERS_MAX}
        data-autofocus
        autoComplete="off"
        value={reason}
        onChange={(change) => setReason(change.currentTarget.value)}
      />
    </FormModal>
  );
}
