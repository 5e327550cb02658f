import { told } from './both-languages.ts';
import { generalTexts } from './general-texts.ts';
import { scanTexts } from './scan-texts.ts';

const TABLES = { ...generalTexts, ...scanTexts };

/** The texts of the frame, the sign-in and the scan page: a phone at a gate loads no others. */
export const TEXTS = {
  en: { ...told(TABLES, 0), languageCode: 'en' as const },
  de: { ...told(TABLES, 1), languageCode: 'de' as const },
};

export type Language = keyof typeof TEXTS;
export type Texts = (typeof TEXTS)[Language];
