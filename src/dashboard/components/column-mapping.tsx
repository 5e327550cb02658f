import { NativeSelect } from '@mantine/core';
import { TICKET_FIELD_NAMES } from '../../core/ticket-fields.ts';
import type { ListHead } from '../api/list-head.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { WINDOW_FIELDS } from '../pages/new-tickets.tsx';

/** The column that somebody chose for a heading; null to leave it out. Headings that are not here are recognised by the server. */
export type Mapping = Readonly<Record<string, string | null>>;

const NAME_COLUMNS = ['firstName', 'lastName', 'name'] as const;
const TERM_COLUMNS = ['type', 'uses', ...WINDOW_FIELDS, ...TICKET_FIELD_NAMES] as const;
const NEW_COLUMNS = [...NAME_COLUMNS, ...TERM_COLUMNS, 'event'] as const;
const EXISTING_COLUMNS = [
  'ticketId',
  'code',
  'event',
  'eventName',
  'firstName',
  'lastName',
  ...TERM_COLUMNS,
  'usesConsumed',
  'createdAt',
  'lastConsumedAt',
  'cancelledAt',
] as const;
const AUTOMATIC = '';
const LEFT_OUT = '-';

interface ColumnMappingProps {
  readonly head: ListHead;
  readonly existing: boolean;
  readonly mapping: Mapping;
  /** Headings that the server does not recognise. */
  readonly unknown: ReadonlySet<string>;
  readonly onChange: (mapping: Mapping) => void;
}

/** Which column of a file is what. */
export function ColumnMapping({ head, existing, mapping, unknown, onChange }: ColumnMappingProps) {
  const { lists, tickets } = useDeskTexts();
  const labels = { ...tickets, ...tickets.fields, ...lists.columns };
  const known = existing ? EXISTING_COLUMNS : NEW_COLUMNS;
  const choices = [
    { value: AUTOMATIC, label: lists.automatic },
    ...known.map((name) => ({ value: name as string, label: labels[name] })),
    { value: LEFT_OUT, label: lists.leaveOut },
  ];
  const choose = (heading: string, value: string) => {
    const { [heading]: _, ...others } = mapping;
    const column = value === LEFT_OUT ? null : value;
    onChange(value === AUTOMATIC ? others : { ...others, [heading]: column });
  };
  return (
    <fieldset className="mapping">
      <legend>{lists.mapping}</legend>
      {head.headings.map((heading, index) => (
        <NativeSelect
          key={heading}
          label={heading}
          description={head.example[index] ? lists.example(head.example[index]) : undefined}
          error={!(heading in mapping) && unknown.has(heading) && lists.unrecognised}
          data={choices}
          value={mapping[heading] === null ? LEFT_OUT : (mapping[heading] ?? AUTOMATIC)}
          onChange={(event) => choose(heading, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  );
}
