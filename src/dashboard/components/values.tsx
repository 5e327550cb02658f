import type { LogEntry, Ticket } from '../api/types.ts';
import { useFormats } from '../i18n/formats.ts';
import { useTexts } from '../i18n/language.tsx';

/** A name of any script and length, isolated from the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi className="name">{children}</bdi>;
}

/** A time in the viewer's zone. @param at ISO 8601; null shows as `otherwise`, "never" if that is not given */
export function TimeText({
  at,
  otherwise,
  only,
}: {
  at: string | null;
  otherwise?: string;
  only?: 'time' | 'date';
}) {
  const formats = useFormats();
  const texts = useTexts();
  if (at === null) return <span className="dimmed">{otherwise ?? texts.general.never}</span>;
  return (
    <time dateTime={at} title={formats.exact(at)}>
      {formats[only ?? 'dateTime'](at)}
    </time>
  );
}

/** A state in a word and a colour; the word alone says it all. Hundreds stand on one page: no component of the library. */
export function StateBadge({ text, good }: { text: string; good: boolean | undefined }) {
  const tone = good === undefined ? '' : good ? 'good' : 'bad';
  return <span className={`badge ${tone}`}>{text}</span>;
}

/** What a scan of the ticket would say; one that begins later is refused now, and yet nothing is wrong with it. */
export function TicketBadge({ state }: Pick<Ticket, 'state'>) {
  const { states } = useTexts().tickets;
  const good = state === 'not_yet_valid' ? undefined : state === 'valid';
  return <StateBadge text={states[state]} good={good} />;
}

/** The outcome of a scan, with the reason of a rejection; of an exit that opens for everybody, that somebody was let out. */
export function OutcomeBadge({ scan }: { scan: Pick<LogEntry, 'outcome' | 'reason' | 'done'> }) {
  const { outcomes, log } = useTexts();
  const { outcome, reason, done } = scan;
  if (done === 'opened') return <StateBadge good text={log.opened} />;
  const known = outcomes as Record<string, string>;
  const admitted = outcome === 'consumed' || outcome === 'validated';
  const good = outcome === 'undone' ? undefined : admitted;
  return <StateBadge good={good} text={known[reason ?? outcome] ?? reason ?? outcome} />;
}
