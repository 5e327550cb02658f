import { NumberInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/language.tsx';

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
  const { general } = useTexts();
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
