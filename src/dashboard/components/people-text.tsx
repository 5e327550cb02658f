import { TextInput, type TextInputProps } from '@mantine/core';
import { NAME_CHARACTERS_MAX } from '../../core/limits.ts';
import { isAtMost } from '../../core/text-length.ts';
import { useDeskTexts } from '../i18n/desk-language.ts';
import { useTexts } from '../i18n/language.tsx';

interface PeopleTextProps extends Omit<TextInputProps, 'value' | 'maxLength'> {
  readonly charactersMax: number;
  readonly value: string;
}

/** A field for a text that people write. One that is too long stays as it was pasted: the field says so, and the server refuses it. */
export function PeopleText({ charactersMax, value, ...field }: PeopleTextProps) {
  const { general } = useTexts();
  const isTooLong = !isAtMost(value, charactersMax);
  return <TextInput {...field} value={value} error={isTooLong && general.tooLong(charactersMax)} />;
}

/** The name of what a dialogue makes or changes: its first field. */
export function NameField(
  field: Omit<PeopleTextProps, 'charactersMax'> & { charactersMax?: number },
) {
  const { general } = useDeskTexts();
  return (
    <PeopleText
      label={general.name}
      required
      data-autofocus
      charactersMax={NAME_CHARACTERS_MAX}
      {...field}
    />
  );
}
