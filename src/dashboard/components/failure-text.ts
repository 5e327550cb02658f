import { ApiFailure, type Explained } from '../api/http.ts';
import type { Texts } from '../i18n/language.tsx';

/** What went wrong, for a person: by the code of the answer, else by its status, else in the server's own words. */
export function failureText(error: unknown, texts: Texts): string {
  if (!(error instanceof ApiFailure)) return texts.failures.fault;
  if (error.status === 0) return texts.failures.unreachable;
  const text = reasonText(error, texts);
  if (text !== undefined) return text;
  if (error.status === 404) return texts.failures.notFound;
  if (error.status >= 500) return texts.failures.fault;
  return texts.failures.refused(error.message);
}

/** The text for a code; undefined for one that this page does not know, of a newer server for example. */
export function reasonText({ code, values = {} }: Explained, texts: Texts): string | undefined {
  const reasons: Readonly<Record<string, Texts['reasons'][keyof Texts['reasons']]>> = texts.reasons;
  const text = code !== undefined && Object.hasOwn(reasons, code) ? reasons[code] : undefined;
  return typeof text === 'function' ? text(values) : text;
}
