import { IconAlertTriangle } from '@tabler/icons-react';
import { fieldsThat, type TicketFieldName } from '../../core/ticket-fields.ts';
import type { Ticket } from '../api/http.ts';
import { Name } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';

/** What of a ticket says what is written on it. */
type Noted = Pick<Partial<Ticket>, TicketFieldName>;

const MARKS = fieldsThat(({ isShownAtScan, kind }) => isShownAtScan && kind === 'flag');
const TEXTS = fieldsThat(({ isShownAtScan, kind }) => isShownAtScan && kind === 'text');
const SIGN_SIZE = 32;

/** What is written on a ticket for the staff at the gate, also on one that is denied: a mark as a sign and a word, a text as it is. */
export function Written({ result }: { readonly result: Noted }) {
  const { written } = useTexts().scanner;
  return (
    <>
      {MARKS.filter((name) => result[name]).map((name) => (
        <strong key={name} className="result-mark">
          <IconAlertTriangle size={SIGN_SIZE} aria-hidden /> {written[name]}
        </strong>
      ))}
      {TEXTS.filter((name) => result[name]).map((name) => (
        <span key={name} className="result-note">
          {written[name]}: <Name>{String(result[name])}</Name>
        </span>
      ))}
    </>
  );
}

/** The marks alone, where there is no room for a text. */
export function Marks({ result }: { readonly result: Noted }) {
  const { written } = useTexts().scanner;
  return MARKS.filter((name) => result[name]).map((name) => (
    <strong key={name} className="small-mark">
      <IconAlertTriangle size={16} aria-hidden /> {written[name]}
    </strong>
  ));
}
