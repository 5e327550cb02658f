import { Button, TextInput } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { useTexts } from '../i18n/language.tsx';

/** A value to take away: to be read, selected or copied with one press. */
export function CopyField({ label, value }: { label: string; value: string }) {
  const texts = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<'idle' | 'copied' | 'failed'>('idle');
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
        error={state === 'failed' ? texts.general.copyFailed : undefined}
      />
      <Button
        variant="light"
        onClick={() => void copy()}
        aria-label={`${texts.general.copy}: ${label}`}
        leftSection={state === 'copied' ? <IconCheck size={18} /> : <IconCopy size={18} />}
      >
        {state === 'copied' ? texts.general.copied : texts.general.copy}
      </Button>
      <span className="visually-hidden" role="status">
        {state === 'copied' ? texts.general.copied : ''}
      </span>
    </div>
  );
}
