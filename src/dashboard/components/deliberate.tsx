import { Button, type ButtonProps, NativeSelect } from '@mantine/core';
import type { MouseEvent, ReactNode } from 'react';
import { USES_AT_ONCE_MAX } from '../../core/limits.ts';
import { useTexts } from '../i18n/language.tsx';
import { isTypedJustNow } from '../scanner/key-guard.ts';

interface DeliberateButtonProps extends ButtonProps {
  readonly onPress: () => void;
  readonly children: ReactNode;
}

/** A button that lets somebody in, or takes an answer off the screen: the line end of a hand scanner does not press it. */
export function DeliberateButton({ onPress, ...button }: DeliberateButtonProps) {
  const onClick = ({ detail, timeStamp }: MouseEvent) => {
    // Without a detail a key has pressed it, and neither a finger nor a mouse.
    const isByKey = detail === 0;
    if (!(isByKey && isTypedJustNow(timeStamp))) onPress();
  };
  return <Button {...button} onClick={onClick} />;
}

interface UsesChoiceProps {
  /** How many there are to take. */
  readonly left: number;
  readonly uses: number;
  readonly onChange: (uses: number) => void;
}

/** How many uses of a card are taken at once, as for a family; nothing where there is only one to take. */
export function UsesChoice({ left, uses, onChange }: UsesChoiceProps) {
  const { scanner } = useTexts();
  const most = Math.min(USES_AT_ONCE_MAX, left);
  if (most < 2) return null;
  const choices = Array.from({ length: most }, (_, index) => String(index + 1));
  return (
    <NativeSelect
      label={scanner.usesAtOnce}
      value={String(uses)}
      data={choices}
      onChange={(change) => onChange(Number(change.currentTarget.value))}
    />
  );
}
