import { ERASED } from '../../core/erased-details.ts';
import { fieldsThat } from '../../core/ticket-fields.ts';
import type { AuditEntry } from '../api/http.ts';
import type { DeskTexts } from '../i18n/desk-texts.ts';
import type { Formats } from '../i18n/formats.ts';

/** Gives the words before and after the name of the object in the sentence of an act. */
export function sentenceOf(words: string, hasSubject: boolean): { before: string; after: string } {
  if (!hasSubject)
    return { before: words.replace(/(?: (?:for|für|of|von|as|als|in))? \{\}/iu, ''), after: '' };
  const [before = '', after] = words.split('{}');
  return after === undefined ? { before: `${before}: `, after: '' } : { before, after };
}

/** Somebody typed these: a gate may be called "in". */
const FREE_TEXTS: ReadonlySet<string> = new Set<string>([
  'name',
  'account',
  'accounts',
  'from',
  'to',
  'lines',
  'host',
  'backup',
  'device',
  'firstName',
  'lastName',
  'reason',
  ...fieldsThat(({ kind }) => kind === 'text'),
]);
const ISO_TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/u;

type ValueFormats = Pick<Formats, 'dateTime' | 'number'>;

/** What changed, in words: `Role: owner, Number: 3`. */
export function detailsText(
  details: AuditEntry['details'],
  texts: DeskTexts,
  formats: ValueFormats,
): string {
  return Object.entries(details)
    .map(([name, value]) => {
      return `${labelOf(name, value, texts)}: ${detailText(name, value, texts, formats)}`;
    })
    .join(', ');
}

/** One value in words. */
export function detailText(
  name: string,
  value: unknown,
  texts: DeskTexts,
  formats: ValueFormats,
): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value))
    return value.map((one) => detailText(name, one, texts, formats)).join('; ') || '–';
  if (typeof value === 'object') return `(${detailsText({ ...value }, texts, formats)})`;
  if (typeof value === 'number') return formats.number(value);
  return wordFor(name, String(value), texts, formats);
}

/** A field is called as on its page, where the audit log has no word of its own. */
export function labelOf(name: string, value: unknown, texts: DeskTexts): string {
  if (name === 'events' && isOfWebhook(value, texts)) return texts.webhooks.events;
  const { details, tickets, accounts, settings, paper, keys } = texts;
  const tables: readonly Readonly<Record<string, unknown>>[] = [
    details,
    tickets,
    accounts,
    settings,
    paper,
    keys,
  ];
  const label = tables.map((table) => table[name]).find((text) => typeof text === 'string');
  return (label as string | undefined) ?? name;
}

/** The events of a webhook are what happens, those of a key are visited. */
function isOfWebhook(value: unknown, { webhooks }: DeskTexts): boolean {
  const known = new Set(Object.keys(webhooks.eventNames));
  return Array.isArray(value) && value.length > 0 && value.every((one) => known.has(one));
}

function wordFor(
  name: string,
  text: string,
  { detailValues, paper, webhooks }: DeskTexts,
  { dateTime }: Pick<Formats, 'dateTime'>,
): string {
  if (FREE_TEXTS.has(name) && text !== ERASED) return text;
  if (ISO_TIME.test(text)) return dateTime(text);
  const words: Readonly<Record<string, string>> = {
    ...paper.languages,
    ...webhooks.eventNames,
    ...detailValues,
  };
  return words[text] ?? text;
}
