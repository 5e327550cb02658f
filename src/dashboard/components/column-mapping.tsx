import { NativeSelect } from '@mantine/core';
import type { ListHead } from '../api/list-head.ts';
import { columnLabels, EXISTING_COLUMNS, NEW_COLUMNS } from '../i18n/column-labels.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';

/** The column that somebody chose for a heading; null to leave it out. Headings that are not here are recognised by the server. */
export type Mapping = Readonly<Record<string, string | null>>;

/** The choice for a column that says which rows were cancelled. It is no column of a ticket. */
export const CANCELLED_COLUMN = 'cancelled';

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
  const texts = useDeskTexts();
  const { lists } = texts;
  const labels = columnLabels(texts);
  const known = existing ? EXISTING_COLUMNS : NEW_COLUMNS;
  const choices = [
    { value: AUTOMATIC, label: lists.automatic },
    ...known.map((name) => ({ value: name as string, label: labels[name] })),
    ...(existing ? [] : [{ value: CANCELLED_COLUMN, label: lists.cancelledColumn }]),
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
