import '../styles/desk-components.ts';
import {
  Button,
  Checkbox,
  NativeSelect,
  NumberInput,
  PasswordInput,
  type PasswordInputProps,
  Radio,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useMemo, useRef, useState } from 'react';
import { useLocation, useSearch } from 'wouter';
import { ROLES, reaches } from '../../core/administrative-records.ts';
import { isInName, searchableName, searchTerms } from '../../core/folded-text.ts';
import { type Event, type Key, queryOf, type Role } from '../api/http.ts';
import { offered, useEvents } from '../api/lists.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { Answered } from './page.tsx';
import { Empty } from './page-head.tsx';
import { Name } from './values.tsx';

interface Changed {
  readonly currentTarget: { readonly value: string };
}

/** Binds the fields of a form to the members of its draft. A choice gives its value, a field the event of its change. */
export function bound<Draft extends object>(draft: Draft, onChange: (draft: Draft) => void) {
  return <Name extends keyof Draft>(name: Name) => ({
    // By this a refusal of the server finds the field that it is about.
    name: String(name),
    value: draft[name],
    onChange: (change: Draft[Name] | string | Changed) =>
      onChange({ ...draft, [name]: isEvent(change) ? change.currentTarget.value : change }),
  });
}

function isEvent(change: unknown): change is Changed {
  return typeof change === 'object' && change !== null && 'currentTarget' in change;
}

/** What is typed into a form, and what binds its fields. */
export function useDraft<Draft extends object>(initial: Draft | (() => Draft)) {
  const [draft, setDraft] = useState<Draft>(initial);
  return { draft, setDraft, field: bound(draft, setDraft) };
}

/** Values as choices of a field, each with its label. */
export function choicesOf<Value extends string>(
  values: readonly Value[],
  labels: Readonly<Record<Value, string>>,
): { value: Value; label: string }[] {
  return values.map((value) => ({ value, label: labels[value] }));
}

type Choices<Name extends string> = Readonly<Record<Name, string>>;

export interface UsedChoices<Name extends string> {
  /** Empty where nothing is chosen. */
  readonly chosen: Choices<Name>;
  readonly choose: (changes: Partial<Choices<Name>>) => void;
  readonly clear: () => void;
}

/** What is chosen on a page, in its address: Back keeps it, and a link can name it. @param names the same ones each time */
export function useChoices<Name extends string>(names: readonly Name[]): UsedChoices<Name> {
  const [location, navigate] = useLocation();
  const search = useSearch();
  const chosen = useMemo(() => {
    const address = new URLSearchParams(search);
    return Object.fromEntries(
      names.map((name) => [name, address.get(name) ?? '']),
    ) as Choices<Name>;
  }, [search, names]);
  const goTo = (choices: Partial<Choices<Name>>) =>
    navigate(`${location}${queryOf(choices)}`, { replace: true });
  return {
    chosen,
    choose: (changes) => goTo({ ...chosen, ...changes }),
    clear: () => goTo({}),
  };
}

interface FilterBarProps {
  /** How many filters are set: the button says it where a narrow screen hides them. */
  readonly count: number;
  readonly children: ReactNode;
}

/** The filters of a list. On a narrow screen they are behind a button, so that the list is in sight. */
export function FilterBar({ count, children }: FilterBarProps) {
  const { general } = useDeskTexts();
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <search className="filter-bar">
      <Button
        className="filter-opener"
        variant="default"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        {general.filters(count)}
      </Button>
      <div id={id} className={isOpen ? 'filters open' : 'filters'}>
        {children}
      </div>
    </search>
  );
}

const TYPING_MS = 300;

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A field that tells what was typed after a pause, and follows what is set elsewhere, as by Back. */
export function SearchField({ label, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value);
  const [settled] = useDebouncedValue(typed, TYPING_MS);
  const known = useRef(value);
  useEffect(() => {
    if (value !== known.current) setTyped(value);
    known.current = value;
  }, [value]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing tells something, not the other filters
  useEffect(() => {
    if (settled === known.current) return;
    known.current = settled;
    onChange(settled);
  }, [settled]);
  return (
    <TextInput
      type="search"
      label={label}
      autoComplete="off"
      value={typed}
      onChange={(change) => setTyped(change.currentTarget.value)}
    />
  );
}

/** A field that must be filled, hidden until somebody asks to see it; the button for that can be reached with the keyboard. */
export function SecretInput(props: PasswordInputProps) {
  const { general } = useDeskTexts();
  return (
    <PasswordInput
      required
      {...props}
      visibilityToggleButtonProps={{ 'aria-label': general.showSecret, tabIndex: 0 }}
    />
  );
}

interface NumberFieldProps {
  readonly label: string;
  readonly description?: ReactNode;
  readonly min: number;
  readonly max: number;
  /** NaN for an empty field. */
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** A field for a whole number. It says what is outside its bounds and never changes what was typed: the server refuses it. */
export function NumberField({ value, onChange, ...field }: NumberFieldProps) {
  const { general } = useDeskTexts();
  const { min, max } = field;
  const isInside = value >= min && value <= max;
  return (
    <NumberInput
      {...field}
      allowDecimal={false}
      clampBehavior="none"
      error={!isInside && general.numberRange(min, max)}
      value={Number.isNaN(value) ? '' : value}
      onChange={(typed) => onChange(typed === '' ? Number.NaN : Number(typed))}
    />
  );
}

/** A value to take away: to be read, selected or copied with one press. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const { general } = useDeskTexts();
  const input = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
  const isCopied = state === 'copied';
  const copy = async () => {
    input.current?.select();
    try {
      await navigator.clipboard.writeText(value);
      setState('copied');
    } catch {
      // Over plain HTTP there is no clipboard: the value is selected, and the user can copy it.
      setState('failed');
    }
  };
  return (
    <div className="copy-field">
      <TextInput
        ref={input}
        label={label}
        value={value}
        readOnly
        spellCheck={false}
        onFocus={(focus) => focus.currentTarget.select()}
        error={state === 'failed' ? general.copyFailed : undefined}
      />
      <Button
        variant="light"
        onClick={() => void copy()}
        aria-label={`${general.copy}: ${label}`}
        leftSection={isCopied ? <IconCheck size={18} /> : <IconCopy size={18} />}
      >
        {isCopied ? general.copied : general.copy}
      </Button>
      <span className="visually-hidden" role="status">
        {isCopied ? general.copied : ''}
      </span>
    </div>
  );
}

interface RoleChoiceProps {
  readonly value: Role;
  readonly onChange: (role: Role) => void;
  /** Left out are roles that may more than this. */
  readonly upTo?: Role;
  /** Left out are roles that may less than this. */
  readonly from?: Role;
}

/** One of the roles. */
export function RoleChoice({ value, onChange, upTo = 'owner', from = 'scanner' }: RoleChoiceProps) {
  const { accounts, roles } = useDeskTexts();
  const known = ROLES.filter((one) => reaches(upTo, one) && reaches(one, from));
  return (
    <NativeSelect
      label={accounts.role}
      value={value}
      data={choicesOf(known, roles)}
      onChange={(change) => onChange(change.currentTarget.value as Role)}
    />
  );
}

interface EventScopeProps {
  readonly value: Key['events'];
  readonly onChange: (events: Key['events']) => void;
}

/** A list with this many events or more gets a search field. */
const SEARCHED_FROM = 10;
/** So many that match are shown; those that are chosen always are. */
const MATCHES_SHOWN = 50;

/** "All events" or "Selected events" (section 5.4). */
export function EventScope({ value, onChange }: EventScopeProps) {
  const { keys, events, general } = useDeskTexts();
  const known = useEvents();
  const [search, setSearch] = useState('');
  const isShown = ({ id, name }: { id: string; name: string }) =>
    value.includes(id) || isInName(searchTerms(search), searchableName([name]));
  const matchesIn = (items: readonly Event[]) =>
    offered(items, (id) => value.includes(id)).filter(isShown);
  const shownMax = MATCHES_SHOWN + value.length;
  return (
    <Radio.Group
      label={keys.events}
      value={value === 'all' ? 'all' : 'selected'}
      onChange={(chosen) => onChange(chosen === 'all' ? 'all' : [])}
    >
      <div className="choices">
        <Radio value="all" label={keys.allEvents} />
        <Radio value="selected" label={keys.selectedEvents} />
      </div>
      {value !== 'all' && (
        <Answered asked={known}>
          {({ items }) =>
            items.length === 0 ? (
              <Empty text={events.empty} />
            ) : (
              <>
                {items.length > SEARCHED_FROM && (
                  <TextInput
                    type="search"
                    label={keys.searchEvents}
                    value={search}
                    onChange={({ currentTarget }) => setSearch(currentTarget.value)}
                  />
                )}
                <Checkbox.Group
                  label={keys.chooseEvents}
                  value={[...value]}
                  onChange={onChange}
                  className="chosen-events"
                >
                  {matchesIn(items)
                    .slice(0, shownMax)
                    .map(({ id, name }) => (
                      <Checkbox key={id} value={id} label={<Name>{name}</Name>} />
                    ))}
                </Checkbox.Group>
                {matchesIn(items).length > shownMax && (
                  <p className="dimmed">
                    {general.andMore(String(matchesIn(items).length - shownMax))}
                  </p>
                )}
              </>
            )
          }
        </Answered>
      )}
    </Radio.Group>
  );
}
