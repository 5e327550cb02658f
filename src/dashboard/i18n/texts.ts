import { auditWords } from './audit-words.ts';
import { told } from './both-languages.ts';
import { englishReasons } from './english-reasons.ts';
import { gateTexts } from './gate-texts.ts';
import { generalTexts } from './general-texts.ts';
import { germanReasons } from './german-reasons.ts';
import { liveTexts } from './live-texts.ts';
import { ticketTexts } from './ticket-texts.ts';

const TABLES = { ...generalTexts, ...liveTexts, ...gateTexts, ...ticketTexts, ...auditWords };

/** Every text of the page. */
export const TEXTS = {
  en: { ...told(TABLES, 0), reasons: englishReasons },
  de: { ...told(TABLES, 1), reasons: germanReasons },
};

export type Language = keyof typeof TEXTS;
export type Texts = (typeof TEXTS)['en'];
