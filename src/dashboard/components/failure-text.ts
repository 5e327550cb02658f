import { ApiFailure } from '../api/http.ts';
import type { Texts } from '../i18n/language.tsx';

/** What went wrong, for a person. The server's own words where it says what to fix. */
export function failureText(error: unknown, texts: Texts): string {
  if (!(error instanceof ApiFailure)) return texts.failures.fault;
  if (error.status === 0) return texts.failures.unreachable;
  if (error.status === 404) return texts.failures.notFound;
  if (error.status >= 500) return texts.failures.fault;
  return error.message;
}
