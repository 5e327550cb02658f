import { useTexts } from '../../i18n/language.tsx';
import { LogHistory } from '../log/log-history.tsx';

/** Every scan of one ticket, newest first. */
export function TicketScans({ ticketId }: { ticketId: string }) {
  const { tickets } = useTexts();
  return (
    <section>
      <h2>{tickets.history}</h2>
      <LogHistory
        conditions={{ ticket: ticketId }}
        label={tickets.history}
        empty={tickets.noHistory}
        withTicket={false}
      />
    </section>
  );
}
