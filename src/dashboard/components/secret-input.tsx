import { PasswordInput, type PasswordInputProps } from '@mantine/core';
import { useTexts } from '../i18n/language.tsx';

/** A field whose content is hidden until somebody asks to see it; the button for that can be reached with the keyboard. */
export function SecretInput(props: PasswordInputProps) {
  const { general } = useTexts();
  return (
    <PasswordInput
      {...props}
      visibilityToggleButtonProps={{ 'aria-label': general.showSecret, tabIndex: 0 }}
    />
  );
}
