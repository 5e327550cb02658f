import { Alert } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type {
  CancelledColumn,
  ListChanges,
  ListedTerms,
  ListPreview,
  OtherNumbers,
} from '../api/http.ts';
import { failureText, faultsOf, LineFaults } from '../components/page.tsx';
import { Loading } from '../components/page-head.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useFormats } from '../i18n/language.tsx';

/** Why a list cannot be imported. */
export function Unreadable({ error }: { readonly error: Error }) {
  const texts = useDeskTexts();
  const faults = faultsOf(error);
  return (
    <Alert role="alert" color="yellow" title={texts.lists.unreadable}>
      {faults.length === 0 && <p>{failureText(error, texts)}</p>}
      <LineFaults faults={faults} />
    </Alert>
  );
}

/** What can be read of a list and what it would change, or why it cannot be imported. */
export function Preview({ preview }: { readonly preview: UseQueryResult<ListPreview> }) {
  const { lists } = useDeskTexts();
  if (preview.isFetching) return <Loading />;
  if (preview.error) return <Unreadable error={preview.error} />;
  if (!preview.data) return null;
  const { tickets, ended, known, cancelledRows = 0, changes } = preview.data;
  const endedText = ended > 0 && lists.ended(ended, tickets);
  const color = ended > 0 || changes?.cancelled || preview.data.otherNumbers ? 'yellow' : 'blue';
  return (
    <Alert role="status" color={color}>
      {changes ? (
        <Changes changes={changes} made={tickets - known} />
      ) : (
        <>
          {lists.preview(tickets)} {known > 0 && lists.knownBefore(known, tickets)}{' '}
          {cancelledRows > 0 && lists.cancelledRows(cancelledRows)}
        </>
      )}{' '}
      {endedText}
      <Noticed answer={preview.data} />
    </Alert>
  );
}

const CHANGES_SHOWN = 20;

interface NoticedProps {
  readonly answer: Pick<ListPreview, 'otherNumbers' | 'cancelledColumns'>;
}

/** What somebody should know who sent a list. */
export function Noticed({ answer: { otherNumbers, cancelledColumns = [] } }: NoticedProps) {
  return (
    <>
      {otherNumbers && <NumbersByHand numbers={otherNumbers} />}
      {cancelledColumns.map((column) => (
        <OtherWords key={column.heading} column={column} />
      ))}
    </>
  );
}

/** Says which words beside those of cancelled rows make tickets, and which of those no row has. */
function OtherWords({ column }: { readonly column: CancelledColumn }) {
  const { lists } = useDeskTexts();
  const { heading, counting, more, unseen } = column;
  const words = counting.map(({ text, count }) => `${text || '–'} (${count})`);
  const all = [...words, ...(more > 0 ? [lists.moreChanges(more)] : [])];
  return (
    <>
      {all.length > 0 && <p>{lists.countAsValid(heading, all.join(', '))}</p>}
      {unseen.length > 0 && <p>{lists.noRowHas(heading, unseen.join(', '))}</p>}
    </>
  );
}

/** Names the references whose tickets somebody must make or cancel by hand. */
function NumbersByHand({ numbers: { count, first } }: { readonly numbers: OtherNumbers }) {
  const { lists } = useDeskTexts();
  const named = first
    .slice(0, CHANGES_SHOWN)
    .map(({ reference, listed, here }) => lists.otherNumber(reference, listed, here));
  const rest = count - named.length;
  const all = [...named, ...(rest > 0 ? [lists.moreChanges(rest)] : [])];
  return <p>{lists.otherNumbers(count, all.join(', '))}</p>;
}

interface ChangesProps {
  readonly changes: ListChanges;
  /** Tickets that are new. */
  readonly made: number;
}

/** What a list that comes again makes and changes, with the first changes one by one. */
function Changes({ changes, made }: ChangesProps) {
  const { lists } = useDeskTexts();
  const { changed, cancelled, unchanged, stayCancelled, elsewhere, differing } = changes;
  const first = changes.first.slice(0, CHANGES_SHOWN);
  const rest = changed + cancelled - first.length;
  return (
    <>
      <p>{lists.plan(made, changed, cancelled, unchanged)}</p>
      {first.length > 0 && (
        <ul>
          {first.map((change) => (
            <li key={change.ticketId}>
              <Change change={change} />
            </li>
          ))}
          {rest > 0 && <li>{lists.moreChanges(rest)}</li>}
        </ul>
      )}
      {stayCancelled > 0 && <p>{lists.stayCancelled(stayCancelled)}</p>}
      {elsewhere > 0 && <p>{lists.elsewhere(elsewhere)}</p>}
      {differing > 0 && <p>{lists.differing(differing)}</p>}
    </>
  );
}

function Change({ change }: { readonly change: ListChanges['first'][number] }) {
  const { lists, tickets } = useDeskTexts();
  const { reference, isCancelled, before, after } = change;
  const wordsOf = useTermWords();
  if (isCancelled)
    return (
      <>
        {reference}: {lists.isCancelled}
      </>
    );
  const parts = NAMES.filter((name) => after[name] !== undefined).map(
    (name) => `${tickets[name]}: ${wordsOf(before, name)} → ${wordsOf(after, name)}`,
  );
  return (
    <>
      {reference}: {parts.join('; ')}
    </>
  );
}

const NAMES = ['holder', 'validFrom', 'validUntil'] as const;

/** A part of a ticket in words; a dash where it is not there. */
function useTermWords() {
  const formats = useFormats();
  return (terms: ListedTerms, name: (typeof NAMES)[number]): string => {
    if (name === 'holder') {
      const { firstName = '', lastName = '' } = terms.holder ?? {};
      return `${firstName} ${lastName}`.trim() || '–';
    }
    const time = terms[name];
    return time ? formats.dateTime(time) : '–';
  };
}
