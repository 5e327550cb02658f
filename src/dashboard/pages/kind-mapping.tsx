import { NativeSelect } from '@mantine/core';
import type { LineFault } from '../api/http.ts';
import { choicesOf } from '../components/fields.tsx';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { TICKET_KINDS } from './new-tickets.tsx';

/** The kind of ticket that each name in a list means. */
export type Kinds = Readonly<Record<string, string>>;

interface KindMappingProps {
  readonly kinds: Kinds;
  readonly faults: readonly LineFault[];
  readonly onChange: (kinds: Kinds) => void;
}

/** What each ticket type of the file is that has an unknown name. */
export function KindMapping({ kinds, faults, onChange }: KindMappingProps) {
  const { lists, tickets } = useDeskTexts();
  const unknown = faults.flatMap(({ code, values }) =>
    code === 'kind_unknown' && values ? [String(values['text'])] : [],
  );
  const names = [...new Set([...Object.keys(kinds), ...unknown])];
  if (names.length === 0) return null;
  const choices = [{ value: '', label: lists.kindChoice }, ...choicesOf(TICKET_KINDS, tickets)];
  const choose = (name: string, kind: string) => {
    const { [name]: _, ...others } = kinds;
    onChange(kind === '' ? others : { ...others, [name]: kind });
  };
  return (
    <fieldset className="mapping">
      <legend>{lists.kinds}</legend>
      {names.map((name) => (
        <NativeSelect
          key={name}
          label={name}
          data={choices}
          value={kinds[name] ?? ''}
          onChange={(event) => choose(name, event.currentTarget.value)}
        />
      ))}
    </fieldset>
  );
}
