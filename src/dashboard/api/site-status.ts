import type { AnswerOf, Role } from './http.ts';
import { useMay, useRead } from './use-api.tsx';

const LINE_EVERY_MS = 5000;

/** What this server knows of its centre; its `site` is null where it is none. Asked again only at a site. */
export function useSiteStatus(): AnswerOf<'GET /site-status'> | undefined {
  const everyMs = ({ site }: AnswerOf<'GET /site-status'>) => (site ? LINE_EVERY_MS : undefined);
  return useRead('GET /site-status', {}, { everyMs }).data;
}

/** True at a site, as soon as that is known. */
export function useIsSite(): boolean {
  return Boolean(useSiteStatus()?.site);
}

/** Whether this account may create here what `role` may create: a site has its events, keys and tickets from its centre. */
export function useMayCreate(role: Role): boolean {
  const isSite = useIsSite();
  return useMay(role) && !isSite;
}
