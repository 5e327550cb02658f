import { createContext, type ReactNode, use, useLayoutEffect, useState } from 'react';
import { type Formats, formatsIn } from './formats.ts';
import { type Language, TEXTS, type Texts } from './texts.ts';

interface LanguageChoice {
  readonly language: Language;
  readonly texts: Texts;
  readonly choose: (language: Language) => void;
}

const LanguageContext = createContext<LanguageChoice>({
  language: 'en',
  texts: TEXTS.en,
  choose: () => {},
});

const REMEMBERED = 'ticketscan.language';

/** The language chosen here before, else the browser's, else English. */
function firstLanguage(): Language {
  const chosen = recall(REMEMBERED);
  if (chosen === 'de' || chosen === 'en') return chosen;
  return navigator.language.toLowerCase().startsWith('de') ? 'de' : 'en';
}

/** Gives everything below it the texts of one language. */
export function LanguageProvider({ children }: { children: ReactNode }) {
  const [language, setLanguage] = useState(firstLanguage);
  // Before anything below asks the server, which answers in this language.
  useLayoutEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = (chosen: Language) => {
    remember(REMEMBERED, chosen);
    setLanguage(chosen);
  };
  return (
    <LanguageContext value={{ language, texts: TEXTS[language], choose }}>
      {children}
    </LanguageContext>
  );
}

export function useLanguage(): LanguageChoice {
  return use(LanguageContext);
}

/** Times and numbers as the viewer writes them. */
export function useFormats(): Formats {
  return formatsIn(use(LanguageContext).language);
}

/** The texts of the chosen language. */
export function useTexts(): Texts {
  return use(LanguageContext).texts;
}

/** Where a choice is kept: for all visits, or for this tab only. */
type Place = 'localStorage' | 'sessionStorage';

/** What was chosen on this browser before; undefined when it keeps nothing, as in some private windows. */
export function recall(name: string, where: Place = 'localStorage'): string | undefined {
  try {
    return window[where].getItem(name) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Keeps a choice for the next visit where the browser lets us. @param value undefined forgets it */
export function remember(
  name: string,
  value: string | undefined,
  where: Place = 'localStorage',
): void {
  try {
    if (value === undefined) window[where].removeItem(name);
    else window[where].setItem(name, value);
  } catch {
    // It stays until the page is reloaded.
  }
}
