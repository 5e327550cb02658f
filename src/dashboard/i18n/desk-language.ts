import { DESK_TEXTS, type DeskTexts } from './desk-texts.ts';
import { useLanguage } from './language.tsx';

/** The texts of the chosen language, for what is no part of the scan page. */
export function useDeskTexts(): DeskTexts {
  return DESK_TEXTS[useLanguage().language];
}
