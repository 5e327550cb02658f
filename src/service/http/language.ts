import type { Language } from '../../core/scan-batch.ts';

/** More are not looked at; browsers send fewer than ten. */
const RANGES_MAX = 30;
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/**
 * The language that a request's `Accept-Language` prefers: German when it is wanted more than English, or as much and
 * is named first; English otherwise. `*` matches any language that is not named (RFC 9110, 12.5.4).
 */
export function preferredLanguage(header: string | undefined): Language {
  if (header === undefined || header === '*') return 'en';
  const qualities = qualitiesOf(header);
  const others = qualities.get('*') ?? 0;
  const [german, english] = [qualities.get('de') ?? others, qualities.get('en') ?? others];
  if (german !== english) return german > english ? 'de' : 'en';
  const first = [...qualities.keys()].find((language) => language === 'de' || language === 'en');
  return german > 0 && first === 'de' ? 'de' : 'en';
}

/** By primary language, in the order in which they are named. */
function qualitiesOf(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const range of header.toLowerCase().split(',', RANGES_MAX)) {
    const [tag = '', quality] = range.split(';', 2);
    const language = tag.trim().split('-', 1)[0] ?? '';
    qualities.set(language, Math.max(qualities.get(language) ?? 0, qualityOf(quality)));
  }
  return qualities;
}

function qualityOf(parameter: string | undefined): number {
  if (parameter === undefined) return 1;
  return Number(QUALITY.exec(parameter.trim())?.[1] ?? 0);
}
