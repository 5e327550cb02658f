import { administrationTexts } from './administration-texts.ts';
import { auditWords } from './audit-words.ts';
import { told } from './both-languages.ts';
import { closingTexts } from './closing-texts.ts';
import { gateTexts } from './gate-texts.ts';
import { listTexts } from './list-texts.ts';
import { liveTexts } from './live-texts.ts';
import { privacyTexts } from './privacy-texts.ts';
import { siteTexts } from './site-texts.ts';
import { TEXTS } from './texts.ts';
import { ticketTexts } from './ticket-texts.ts';

const TABLES = {
  ...administrationTexts,
  ...closingTexts,
  ...liveTexts,
  ...gateTexts,
  ...ticketTexts,
  ...listTexts,
  ...privacyTexts,
  ...siteTexts,
  ...auditWords,
};

/** Every text of the page. */
export const DESK_TEXTS = {
  en: { ...TEXTS.en, ...told(TABLES, 0) },
  de: { ...TEXTS.de, ...told(TABLES, 1) },
};

export type DeskTexts = (typeof DESK_TEXTS)[keyof typeof DESK_TEXTS];
