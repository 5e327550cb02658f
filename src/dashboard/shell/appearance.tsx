import {
  ActionIcon,
  NativeSelect,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { type Language, useLanguage } from '../i18n/language.tsx';

const LANGUAGES = [
  { value: 'de', label: 'Deutsch' },
  { value: 'en', label: 'English' },
];

/** German or English. */
export function LanguageSwitch() {
  const { language, texts, choose } = useLanguage();
  return (
    <NativeSelect
      className="language"
      aria-label={texts.language}
      size="sm"
      data={LANGUAGES}
      value={language}
      onChange={(change) => choose(change.currentTarget.value as Language)}
    />
  );
}

/** Light or dark. */
export function SchemeSwitch() {
  const { texts } = useLanguage();
  const { setColorScheme } = useMantineColorScheme();
  const dark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={dark ? texts.navigation.toLight : texts.navigation.toDark}
      onClick={() => setColorScheme(dark ? 'light' : 'dark')}
    >
      {dark ? <IconSun size={20} aria-hidden /> : <IconMoon size={20} aria-hidden />}
    </ActionIcon>
  );
}
