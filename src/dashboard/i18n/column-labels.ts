import { TICKET_FIELD_NAMES } from '../../core/ticket-fields.ts';
import type { DeskTexts } from './desk-texts.ts';

const NAME_COLUMNS = ['firstName', 'lastName', 'name'] as const;
const TERM_COLUMNS = ['type', 'uses', 'validFrom', 'validUntil', ...TICKET_FIELD_NAMES] as const;

/** The columns that somebody can choose for a list of new tickets. */
export const NEW_COLUMNS = [...NAME_COLUMNS, ...TERM_COLUMNS, 'event'] as const;

/** The columns that somebody can choose for a list of tickets that exist. */
export const EXISTING_COLUMNS = [
  'ticketId',
  'code',
  'event',
  'eventName',
  'firstName',
  'lastName',
  ...TERM_COLUMNS,
  'usesConsumed',
  'createdAt',
  'lastConsumedAt',
  'cancelledAt',
  'batch',
] as const;

/** What the columns of a list of tickets are called, by their names. */
export function columnLabels({ lists, tickets }: Pick<DeskTexts, 'lists' | 'tickets'>) {
  return { ...tickets, ...tickets.fields, ...lists.columns };
}

/** @returns the name itself for a column that the page does not know */
export function columnLabel(name: string, texts: Pick<DeskTexts, 'lists' | 'tickets'>): string {
  const labels: Readonly<Record<string, unknown>> = columnLabels(texts);
  const label = labels[name];
  return typeof label === 'string' ? label : name;
}
