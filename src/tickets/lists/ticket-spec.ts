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
import { parseDateTime } from './date-time.ts';
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
  const kind = read('type', (text) => kindFrom(text, uses, defaults.kind));
  const usesAllowed =
    kind &&
    read('uses', () =>
      usesAllowedFor(kind, uses ?? (kind === 'multi' ? defaults.uses : undefined)),
    );
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
  mehrfachkarte: 'multi',
  mehrfachticket: 'multi',
  dauerkarte: 'permanent',
  dauerticket: 'permanent',
};

/** On the wire a permanent card is a `multi` with 9999 uses, and lists that a program wrote say so too. */
function kindFrom(text: string, uses: number | undefined, fallback: TicketKind): TicketKind {
  const name = text.trim().toLowerCase();
  if (name === '') return fallback;
  const kind = TICKET_KINDS.find((one) => one === name) ?? GERMAN_KINDS[name];
  if (kind === 'multi' && uses === USES_PERMANENT) return 'permanent';
  if (kind) return kind;
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
