import { auditWords } from './audit-words.ts';
import { told } from './both-languages.ts';
import { gateTexts } from './gate-texts.ts';
import { generalTexts } from './general-texts.ts';
import { liveTexts } from './live-texts.ts';
import { ticketTexts } from './ticket-texts.ts';

const TABLES = { ...generalTexts, ...liveTexts, ...gateTexts, ...ticketTexts, ...auditWords };

/** Every text of the page. */
export const TEXTS = {
  en: { ...told(TABLES, 0), languageCode: 'en' as const },
  de: { ...told(TABLES, 1), languageCode: 'de' as const },
};

export type Language = keyof typeof TEXTS;
export type Texts = (typeof TEXTS)[Language];
