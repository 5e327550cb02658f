import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';

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
      value={typed}
      onChange={(change) => setTyped(change.currentTarget.value)}
    />
  );
}
