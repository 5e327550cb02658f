import type { Ticket } from '../api/http.ts';
import { useFormats, useTexts } from '../i18n/language.tsx';

/** A name of any script and length, isolated from the text around it. */
export function Name({ children }: { children: string }) {
  return <bdi className="name">{children}</bdi>;
}

interface TimeTextProps {
  /** ISO 8601; null shows as `otherwise`, "never" if that is not given. */
  readonly at: string | null;
  readonly otherwise?: string;
  /** Seconds matter in the log only. */
  readonly only?: 'seconds' | 'time' | 'date';
}

/** A time in the zone of the page. */
export function TimeText({ at, otherwise, only }: TimeTextProps) {
  const formats = useFormats();
  const { general } = useTexts();
  if (at === null) return <span className="dimmed">{otherwise ?? general.never}</span>;
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

const ID_END = 5;

/** What tells tickets apart where the whole id has no room. */
export function endOfId(id: string): string {
  return id.slice(-ID_END);
}

/** The name on a ticket; empty for none. */
export function holderOf(ticket: Partial<Pick<Ticket, 'holder'>> | null | undefined): string {
  const { firstName = '', lastName = '' } = ticket?.holder ?? {};
  return `${firstName} ${lastName}`.trim();
}
