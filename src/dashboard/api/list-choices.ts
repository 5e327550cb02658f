import { recall, remember } from '../i18n/language.tsx';

/**
 * What somebody chose when a list was imported the last time. The shop is not kept: its map leaves out columns that it does not know, which
 * of another list may be the names of the guests. A list of a shop is known by its headings.
 */
export interface ListChoices {
  readonly event: string;
  readonly update: boolean;
  readonly uniqueReference: boolean;
  readonly uses: number;
}

const KEY = 'ticketscan.list-choices';

/** @returns what was chosen on this browser before; what it lacks is as usual */
export function recalledChoices(usual: ListChoices): ListChoices {
  const kept = parsed(recall(KEY));
  return {
    event: typeof kept['event'] === 'string' ? kept['event'] : usual.event,
    update: kept['update'] === true,
    uniqueReference: kept['uniqueReference'] === true,
    uses: typeof kept['uses'] === 'number' ? kept['uses'] : usual.uses,
  };
}

/** Keeps the choices for the next list. */
export function rememberChoices(choices: ListChoices): void {
  remember(KEY, JSON.stringify(choices));
}

/** What is kept may be of an older page, or of somebody who wrote it by hand. */
function parsed(text = '{}'): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
