import { Button, Modal } from '@mantine/core';
import { Link } from 'wouter';
import type { TicketWithCode } from '../../api/types.ts';
import { CopyField } from '../../components/copy-field.tsx';
import { QrPicture } from '../../components/qr-picture.tsx';
import { useTexts } from '../../i18n/language.tsx';
import { PrintAll } from './print-all.tsx';

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
