import { TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { refusalText } from '../../core/refusals/catalogue.ts';
import { useTexts } from '../i18n/language.tsx';
import { skippedTime } from '../i18n/time-fields.ts';

interface TimeFieldProps {
  readonly name: string;
  readonly label: string;
  readonly description?: ReactNode;
  readonly value: string;
  readonly onChange: (change: { readonly currentTarget: { readonly value: string } }) => void;
}

/** A field for date and time, in the zone of the page. It names a time that clocks skip and never changes what was typed: the server refuses it. */
export function TimeField(props: TimeFieldProps) {
  const { languageCode } = useTexts();
  const { reason = '', values = {} } = skippedTime(props.value) ?? {};
  return (
    <TextInput {...props} type="datetime-local" error={refusalText(reason, values, languageCode)} />
  );
}
