import { SHOP_NAMES } from '../../core/shop-names.ts';
import { recall, remember } from '../i18n/language.tsx';

/** What somebody chose when a list was imported the last time: the shop's next list is read the same way. */
export interface ListChoices {
  readonly event: string;
  /** The name of a shop; empty for none. */
  readonly map: string;
  readonly update: boolean;
  readonly uniqueReference: boolean;
  readonly uses: number;
}

const KEY = 'ticketscan.list-choices';

/** @returns what was chosen on this browser before; what it lacks is as usual */
export function recalledChoices(usual: ListChoices): ListChoices {
  const kept = parsed(recall(KEY));
  const text = (name: 'event' | 'map') =>
    typeof kept[name] === 'string' ? kept[name] : usual[name];
  const map = text('map');
  return {
    event: text('event'),
    map: SHOP_NAMES.some((name) => name === map) ? map : '',
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
