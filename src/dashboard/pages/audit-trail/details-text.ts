import type { AuditEntry } from '../../api/types.ts';
import type { Texts } from '../../i18n/language.tsx';

/** What changed, in words: `Role: owner, Number: 3`. */
export function detailsText(details: AuditEntry['details'], texts: Texts): string {
  return Object.entries(details)
    .map(([name, value]) => `${labelOf(name, texts)}: ${valueText(value, texts)}`)
    .join(', ');
}

/** A field of a ticket is called as on its page. */
function labelOf(name: string, { details, tickets }: Texts): string {
  const label = details[name] ?? (tickets as Readonly<Record<string, unknown>>)[name];
  return typeof label === 'string' ? label : name;
}

function valueText(value: unknown, texts: Texts): string {
  if (value === null || value === undefined) return '–';
  if (Array.isArray(value)) return value.map((one) => valueText(one, texts)).join('; ') || '–';
  if (typeof value === 'object') return `(${detailsText({ ...value }, texts)})`;
  return texts.detailValues[String(value)] ?? String(value);
}
