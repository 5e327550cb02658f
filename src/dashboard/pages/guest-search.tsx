import { Alert, CloseButton, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { call } from '../api/http.ts';
import { endOfId, holderOf, Name } from '../components/values.tsx';
import { useTexts } from '../i18n/language.tsx';
import type { Texts } from '../i18n/texts.ts';
import { useScanByHand } from '../scanner/use-scans.ts';
import { type Guest, GuestName, SecondLook, StateAndLeft } from './by-hand.tsx';
import { Marks } from './scan-written.tsx';

const CHARACTERS_MIN = 2;
const SHOWN_MAX = 20;
/** The time between the last key and the question to the server. */
const PAUSE_MS = 250;

interface FoundGuests {
  readonly guests: readonly Guest[];
  /** Whether there may be more. */
  readonly isCut: boolean;
}

/** One answer looks at a part of the tickets: asks until there are enough, or no more. */
async function guestsFor(search: string, signal: AbortSignal): Promise<FoundGuests> {
  const found: Guest[] = [];
  let after: string | null = null;
  do {
    const asked = { search, ...(after !== null && { after }) };
    const answer: { items: readonly Guest[]; next: string | null } = await call(
      'GET /guests',
      asked,
      signal,
    );
    found.push(...answer.items);
    after = answer.next;
  } while (after !== null && found.length < SHOWN_MAX);
  const isCut = after !== null || found.length > SHOWN_MAX;
  return { guests: found.slice(0, SHOWN_MAX), isCut };
}

/** Finds a guest without a code; who is found is let in after a second look. */
export function GuestSearch({ onClose }: { onClose: () => void }) {
  const { scanner, general } = useTexts();
  const [typed, setTyped] = useState('');
  const [guest, setGuest] = useState<Guest>();
  return (
    <section className="guest-search panel" aria-label={scanner.findGuest}>
      <div className="guest-search-head">
        <h2>{guest ? scanner.secondLook : scanner.findGuest}</h2>
        <CloseButton aria-label={general.close} onClick={onClose} />
      </div>
      {guest ? (
        <FoundGuest guest={guest} onBack={() => setGuest(undefined)} onAsked={onClose} />
      ) : (
        <SearchForm typed={typed} onType={setTyped} onChoose={setGuest} />
      )}
    </section>
  );
}

interface FoundGuestProps {
  readonly guest: Guest;
  readonly onBack: () => void;
  /** The answer stands where that of every scan stands. */
  readonly onAsked: () => void;
}

function FoundGuest({ guest, onBack, onAsked }: FoundGuestProps) {
  const { scanner } = useTexts();
  const { ask } = useScanByHand(guest.ticketId);
  return (
    <SecondLook
      guest={guest}
      back={scanner.backToSearch}
      onBack={onBack}
      ask={(action, uses) => {
        ask(action, uses);
        onAsked();
      }}
    />
  );
}

interface SearchFormProps {
  readonly typed: string;
  readonly onType: (text: string) => void;
  readonly onChoose: (guest: Guest) => void;
}

function SearchForm({ typed, onType, onChoose }: SearchFormProps) {
  const { scanner } = useTexts();
  const [search, setSearch] = useState(typed.trim());
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const wanted = typed.trim();
  useEffect(() => {
    const timer = setTimeout(() => setSearch(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  useEffect(() => field.current?.focus(), []);
  const isEnough = [...search].length >= CHARACTERS_MIN;
  const asked = useQuery({
    queryKey: ['tickets', 'guests', search],
    queryFn: ({ signal }) => guestsFor(search, signal),
    enabled: isEnough,
    placeholderData: keepPreviousData,
  });
  const { guests, isCut } = (isEnough ? asked.data : undefined) ?? { guests: undefined };
  const isAnswered = wanted === search && guests !== undefined && !asked.isPlaceholderData;
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setSearch(wanted);
    const [first, ...others] = isAnswered ? guests : [];
    if (first && others.length === 0) onChoose(first);
    else if (first) list.current?.querySelector('button')?.focus();
  };
  return (
    <>
      <form onSubmit={onSubmit}>
        <TextInput
          ref={field}
          type="search"
          label={scanner.findBy}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(change) => onType(change.currentTarget.value)}
        />
      </form>
      <p role="status" className="dimmed">
        {isAnswered && foundText(guests.length, isCut === true, scanner)}
      </p>
      {asked.error && (
        <Alert color="yellow" role="alert">
          {scanner.searchFailed}
        </Alert>
      )}
      <ul className="guests" ref={list} onKeyDown={moveInList}>
        {guests?.map((guest) => (
          <li key={guest.ticketId}>
            <GuestRow guest={guest} onChoose={() => onChoose(guest)} />
          </li>
        ))}
      </ul>
    </>
  );
}

function foundText(count: number, isCut: boolean, scanner: Texts['scanner']): string {
  if (isCut) return scanner.foundFirst(count);
  return count === 0 ? scanner.nobodyFound : scanner.found(count);
}

/** The arrows go from guest to guest. */
function moveInList(event: KeyboardEvent<HTMLUListElement>): void {
  const row = (event.target as HTMLElement).closest('li');
  const other = {
    ArrowDown: row?.nextElementSibling,
    ArrowUp: row?.previousElementSibling,
  }[event.key];
  if (!other) return;
  event.preventDefault();
  other.querySelector('button')?.focus();
}

function GuestRow({ guest, onChoose }: { guest: Guest; onChoose: () => void }) {
  const { eventName, reference, ticketId } = guest;
  return (
    <button type="button" className="guest" onClick={onChoose}>
      <span className="guest-name">
        <GuestName guest={guest} /> <Marks result={guest} />
      </span>
      <span>
        <StateAndLeft guest={guest} />
      </span>
      <span className="dimmed">
        {eventName && (
          <>
            <Name>{eventName}</Name> ·{' '}
          </>
        )}
        {reference && holderOf(guest) !== '' && (
          <>
            <Name>{reference}</Name> ·{' '}
          </>
        )}
        <span className="mono">… {endOfId(ticketId)}</span>
      </span>
    </button>
  );
}
