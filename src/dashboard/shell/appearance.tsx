import {
  ActionIcon,
  createTheme,
  localStorageColorSchemeManager,
  Modal,
  NativeSelect,
  Tooltip,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { useLanguage } from '../i18n/language.tsx';
import type { Language } from '../i18n/texts.ts';

/** Light or dark, kept in this browser; until somebody chooses, as the system says. */
export const colourSchemes = localStorageColorSchemeManager({ key: 'ticketscan.colours' });

/** What components look like where the style sheet is not enough. */
export const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  respectReducedMotion: true,
  components: {
    // Locking the scroll position would need a style element, which the security policy forbids; layout.css does it.
    Modal: Modal.extend({
      defaultProps: { lockScroll: false, centered: true, transitionProps: { duration: 0 } },
    }),
    Tooltip: Tooltip.extend({
      defaultProps: { events: { hover: true, focus: true, touch: false } },
    }),
  },
});

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
