import { Button } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { SecretInput } from '../components/fields.tsx';
import { useTexts } from '../i18n/language.tsx';
import { looksLikeApiKey } from '../scanner/tab-settings.ts';

/** Asks once for the key that scans in this tab. */
export function KeyEntry({ onKey }: { onKey: (key: string) => void }) {
  const { scanner } = useTexts();
  const [typed, setTyped] = useState('');
  const [wrong, setWrong] = useState(false);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    const key = typed.trim();
    if (looksLikeApiKey(key)) onKey(key);
    else setWrong(true);
  };
  return (
    <form className="panel form narrow" onSubmit={onSubmit}>
      <h2>{scanner.keyTitle}</h2>
      <SecretInput
        label={scanner.keyLabel}
        description={scanner.keyHelp}
        autoComplete="off"
        error={wrong && scanner.keyWrong}
        value={typed}
        onChange={(change) => {
          setTyped(change.currentTarget.value);
          setWrong(false);
        }}
      />
      <Button type="submit">{scanner.keyUse}</Button>
    </form>
  );
}
