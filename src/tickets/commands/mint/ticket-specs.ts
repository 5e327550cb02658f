import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import {
  checkWindow,
  holderFrom,
  type TicketTerms,
  usesAllowedFor,
  windowFrom,
} from '../../../core/ticket.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { counted } from '../../../kit/counted.ts';
import { forOption } from '../../../terminal/for-option.ts';
import { parseHeadings } from '../../lists/columns.ts';
import { faultInWords, type RowIssue } from '../../lists/row-issue.ts';
import { boundIn, type SpecDefaults } from '../../lists/ticket-spec.ts';
import { planDigest } from '../../making/run-journal.ts';
import { NEW_TICKET_COLUMNS, readSpecList } from '../../making/spec-list.ts';
import { meaningsFrom } from '../list-options.ts';
import type { MintOptions } from './mint-options.ts';

/** What tickets a command asks for. */
export interface TicketSpecs {
  readonly count: number;
  readonly specAt: (index: number) => TicketTerms;
  /** Rows of a list that are left out, because the command says so. */
  readonly skipped: readonly RowIssue[];
  /** Differs when any ticket differs. */
  readonly digest: string;
}

const FAULTS_SHOWN = 100;

/** @throws TicketscanError `usage` for options or rows that do not fit, each named */
export async function ticketSpecs(options: MintOptions, event: EventRecord): Promise<TicketSpecs> {
  const defaults = defaultsFrom(options);
  const { fromCsv, fromJson } = options;
  if (fromCsv !== undefined || fromJson !== undefined) return fromList(options, defaults, event);
  refuseListOptions(options);
  const count = options.count ?? 1;
  const { type, uses, firstName, lastName } = options;
  const spec: TicketTerms = {
    ticketType: type === 'single' ? 'single' : 'multi',
    usesAllowed: usesAllowedFor(type, uses),
    holder: holderFrom(firstName, lastName),
    ...defaults.window,
  };
  checkWindow(spec);
  return { count, specAt: () => spec, skipped: [], digest: planDigest(spec) };
}

function defaultsFrom(options: MintOptions): SpecDefaults {
  const { type, uses } = options;
  const timeZone = checkTimeZone(options.timeZone);
  const bound = boundIn(timeZone);
  const window = windowFrom(options, (text: string, name) =>
    forOption(name === 'validFrom' ? '--valid-from' : '--valid-until', () => bound(text, name)),
  );
  return { kind: type, uses, window, timeZone };
}

async function fromList(
  options: MintOptions,
  defaults: SpecDefaults,
  event: EventRecord,
): Promise<TicketSpecs> {
  refuseOtherSources(options);
  const { fromCsv, fromJson, ignoreColumns: ignored, columns, encoding } = options;
  const known = Object.keys(NEW_TICKET_COLUMNS);
  const headings = columns === undefined ? {} : parseHeadings(columns, known);
  const format = fromCsv === undefined ? 'json' : 'csv';
  const meanings = await meaningsFrom(options, async (name) => name);
  const read = { format, ignored, headings, encoding, meanings, defaults, event } as const;
  const { specs, faults: issues } = await readSpecList(fromCsv ?? fromJson ?? '', read);
  refuseFaults(fromCsv ?? fromJson ?? '', issues, options.skipBad === true && specs.length > 0);
  if (specs.length === 0) throw new TicketscanError('usage', 'The list has no tickets.');
  const specAt = (index: number): TicketTerms => {
    const spec = specs[index];
    if (!spec) throw new RangeError(`the list has no ticket ${index}`);
    return spec;
  };
  return { count: specs.length, specAt, skipped: issues, digest: planDigest(specs) };
}

/** They would have no effect, and nobody would notice. */
function refuseListOptions(options: MintOptions): void {
  const { columns, eventMap, typeMap, ignoreColumns, skipBad } = options;
  const given = Object.entries({
    ...{ '--columns': columns, '--event-map': eventMap, '--type-map': typeMap },
    ...{ '--ignore-columns': ignoreColumns[0], '--skip-bad': skipBad },
  }).find(([, value]) => value !== undefined);
  if (given)
    throw new TicketscanError('usage', `${given[0]} is about a list: add --from-csv FILE.`);
}

function refuseOtherSources({ fromCsv, fromJson, count, firstName, lastName }: MintOptions): void {
  if (fromCsv !== undefined && fromJson !== undefined) {
    throw new TicketscanError('usage', 'Give --from-csv or --from-json, not both.');
  }
  if (count !== undefined || firstName !== undefined || lastName !== undefined) {
    throw new TicketscanError(
      'usage',
      'The list defines the number of tickets and their holders: remove --count, --first-name and --last-name.',
    );
  }
}

/** @throws TicketscanError `usage` that names every issue, unless they may be skipped */
export function refuseFaults(file: string, issues: readonly RowIssue[], maySkip: boolean): void {
  if (issues.length === 0 || maySkip) return;
  const shown = issues.slice(0, FAULTS_SHOWN).map((fault) => `  ${faultInWords(fault)}`);
  const rest = issues.length - shown.length;
  throw new TicketscanError(
    'usage',
    [
      `${file}: ${counted(issues.length, 'issue')}; nothing was stored.`,
      ...shown,
      ...(rest > 0 ? [`  … and ${rest} more`] : []),
      'Fix the rows, or skip them with --skip-bad.',
    ].join('\n'),
  );
}
