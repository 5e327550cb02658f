import { parseDateTime } from '../../core/date-time.ts';
import { TicketscanError } from '../../core/errors.ts';
import { USES_PERMANENT } from '../../core/limits.ts';
import {
  checkWindow,
  holderFrom,
  TICKET_KINDS,
  type TicketKind,
  type TicketTerms,
  usesAllowedFor,
  type ValidityWindow,
} from '../../core/ticket.ts';
import { issueOf, type RawRow, type RowIssue } from './row-issue.ts';

/** The columns of a list of tickets to make, each with other headings that people give it. */
export const SPEC_COLUMNS = {
  type: ['ticketType', 'Typ', 'Art', 'Ticketart', 'Tickettyp'],
  uses: ['usesAllowed', 'Nutzungen', 'Anzahl Nutzungen', 'Eintritte'],
  firstName: ['Vorname'],
  lastName: ['Nachname', 'Familienname'],
  validFrom: ['Gültig von', 'Gültig ab'],
  validUntil: ['Gültig bis'],
} as const;

export interface SpecDefaults {
  /** The type of rows that name none. */
  readonly kind: TicketKind;
  /** The window of rows whose cells are empty. */
  readonly window: ValidityWindow;
  /** The uses of multi-use cards whose cell is empty. */
  readonly uses: number | undefined;
  readonly timeZone: string;
}

/** The ticket that a row asks for, or everything that is wrong with the row. */
export function specFromRow(
  row: RawRow,
  defaults: SpecDefaults,
): { spec: TicketTerms } | { faults: RowIssue[] } {
  const issues: RowIssue[] = [];
  const read = <Value>(column: string, convert: (text: string) => Value): Value | undefined => {
    try {
      return convert(row.cells.get(column) ?? '');
    } catch (error) {
      if (!(error instanceof TicketscanError)) throw error;
      issues.push(issueOf(row.line, column, error));
      return undefined;
    }
  };
  const uses = read('uses', usesFrom);
  const type = read('type', (text) => kindFrom(text, uses, defaults));
  const kind = type?.kind;
  const usesAllowed = type && read('uses', () => usesAllowedFor(type.kind, uses ?? type.uses));
  const firstName = read('firstName', nameFrom);
  const lastName = read('lastName', nameFrom);
  const bound = (name: keyof ValidityWindow) => (text: string) =>
    text.trim() === '' ? defaults.window[name] : boundIn(defaults.timeZone)(text, name);
  const validFrom = read('validFrom', bound('validFrom'));
  const validUntil = read('validUntil', bound('validUntil'));
  if (validFrom !== undefined && validUntil !== undefined) {
    read('validUntil', () => checkWindow({ validFrom, validUntil }));
  }
  if (issues.length > 0 || !kind || !usesAllowed) return { faults: onePerColumn(issues) };
  return {
    spec: {
      ticketType: kind === 'single' ? 'single' : 'multi',
      usesAllowed,
      holder: holderFrom(firstName, lastName),
      validFrom: validFrom ?? null,
      validUntil: validUntil ?? null,
    },
  };
}

/** Reads a bound of a window: a day without a time is the whole day. */
export function boundIn(timeZone: string) {
  return (text: string, name: keyof ValidityWindow) =>
    parseDateTime(text, name === 'validFrom' ? 'from' : 'until', timeZone);
}

const GERMAN_KINDS: Readonly<Record<string, TicketKind>> = {
  einzelticket: 'single',
  einzelkarte: 'single',
  tageskarte: 'single',
  mehrfachkarte: 'multi',
  mehrfachticket: 'multi',
  zehnerkarte: 'multi',
  dauerkarte: 'permanent',
  dauerticket: 'permanent',
  saisonkarte: 'permanent',
  jahreskarte: 'permanent',
};
/** What the name alone says, for rows without a number. */
const USES_BY_NAME: Readonly<Record<string, number>> = { zehnerkarte: 10 };

/** On the wire a permanent card is a `multi` with 9999 uses, and lists that a program wrote say so too. */
function kindFrom(
  text: string,
  uses: number | undefined,
  defaults: SpecDefaults,
): { readonly kind: TicketKind; readonly uses: number | undefined } {
  const name = text.trim().toLowerCase();
  const kind =
    name === '' ? defaults.kind : (TICKET_KINDS.find((one) => one === name) ?? GERMAN_KINDS[name]);
  if (name !== '' && kind === 'multi' && uses === USES_PERMANENT)
    return { kind: 'permanent', uses };
  if (kind)
    return { kind, uses: kind === 'multi' ? (USES_BY_NAME[name] ?? defaults.uses) : undefined };
  throw new TicketscanError('usage', `"${text}" is not one of ${TICKET_KINDS.join(', ')}`, {
    reason: 'kind_unknown',
    values: { text },
  });
}

function usesFrom(text: string): number | undefined {
  const digits = text.trim();
  if (digits === '') return undefined;
  if (/^\d{1,6}$/.test(digits)) return Number(digits);
  throw new TicketscanError('usage', `"${text}" is not a number of uses`, {
    reason: 'uses_number',
    values: { text },
  });
}

/** The rule for a name is core's; asked for each alone, so that the right column is named. */
function nameFrom(text: string): string {
  holderFrom(text, undefined);
  return text;
}

/** A wrong number of uses would be reported twice. */
function onePerColumn(issues: readonly RowIssue[]): RowIssue[] {
  return [...new Map(issues.toReversed().map((issue) => [issue.column, issue])).values()].reverse();
}
