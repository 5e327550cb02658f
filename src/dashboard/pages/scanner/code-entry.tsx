import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/language.tsx';

/** For codes that are typed, and for hand scanners: it takes the focus where no keyboard would pop up on the screen. */
export function CodeEntry({ onCode }: { onCode: (code: string) => void }) {
  const { scanner } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState('');
  useEffect(() => {
    if (matchMedia('(pointer: fine)').matches) input.current?.focus();
  }, []);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    onCode(code);
    setCode('');
  };
  return (
    <form className="code-entry" onSubmit={onSubmit}>
      <TextInput
        ref={input}
        label={scanner.code}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        value={code}
        onChange={(change) => setCode(change.currentTarget.value)}
      />
      <Button type="submit">{scanner.send}</Button>
    </form>
  );
}
