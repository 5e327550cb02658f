import { refuse } from '../../core/errors.ts';
import { ColumnSamples } from './column-samples.ts';
import { looksGarbled } from './garbled.ts';
import { formOf, HeadingForms, type Suggestion, sameHeadings, suggestionsFor } from './headings.ts';
import { asNamed } from './named-parts.ts';
import { issueAt, type RowIssue } from './row-issues.ts';
import { type ShopMap, shopColumns } from './shop-map.ts';
import { wrongHead } from './wrong-texts.ts';

/** Headings by the name of their column. */
export type ColumnHeadings = Readonly<Record<string, string>>;

/** The columns that a file of rows may have. */
export interface TableOptions {
  /** Names of the columns, each with other names for it. */
  readonly columns: Readonly<Record<string, readonly string[]>>;
  /** Headings to leave out. */
  readonly ignored: readonly string[];
  /** The headings of columns that are neither the name of the column nor one of its other names. */
  readonly headings?: ColumnHeadings | undefined;
  /** Headings whose cells are handed on unread. */
  readonly kept?: readonly string[] | undefined;
  /** More of them, which the file may lack. */
  readonly optional?: readonly string[] | undefined;
  /** What the headings of a shop are: it comes before the other names of columns. */
  readonly map?: ShopMap | undefined;
  /** Called once for a CSV file with the headings that say nothing about tickets, as far as the map tells. */
  readonly onLeftOut?: ((headings: readonly string[]) => void) | undefined;
  /** The column without which a CSV file is another kind of list. */
  readonly required?: string;
}

/** The meaning of the headings of a file, or of one row. */
export interface Columns {
  /** The columns of the headings, in their order; null for a heading to leave out. */
  readonly columns: readonly (string | null)[];
  /** The indexes of the kept headings; -1 for one that is missing. */
  readonly kept: readonly number[];
  readonly issues: readonly RowIssue[];
  readonly samples: ColumnSamples;
  /** Whether the list is one of tickets that exist. */
  readonly isExported: boolean;
  /** The columns without a heading: spreadsheets write empty ones beside a table. */
  readonly unheaded: ReadonlySet<number>;
  /** Headings that nobody knows in the list of a known shop, and that do not look like a state or a number of tickets. */
  readonly leftOut: readonly string[];
}

/** The possible meanings of the headings of a table, by their forms. They are made once for a file. */
export interface Known {
  readonly forms: HeadingForms;
  /** The columns of headings that somebody named. */
  readonly given: ReadonlyMap<string, string>;
  readonly byForm: ReadonlyMap<string, string>;
  readonly ignored: ReadonlySet<string>;
  readonly kept: readonly string[];
  readonly options: TableOptions;
}

/** The meanings that these options give. */
export function knownOf(options: TableOptions): Known {
  const { columns, ignored, headings = {}, kept = [], optional = [] } = options;
  const byForm = new Map(
    Object.entries(columns).flatMap(([name, others]) =>
      [name, ...others].map((one) => [formOf(one), name]),
    ),
  );
  const given = Object.entries(headings).map(
    ([column, heading]) => [formOf(heading), column] as const,
  );
  return {
    forms: new HeadingForms(),
    given: new Map(given),
    byForm,
    ignored: new Set(ignored.map(formOf)),
    kept: [...kept, ...optional].map(formOf),
    options,
  };
}

/**
 * Gives each heading the column it means: case, spaces, punctuation, underscores and invisible characters do not matter, and ü is ue: so
 * `First Name`, `first_name` and `firstName` are one, and so are `Gültig bis` and `gueltig_bis`.
 */
export function matchColumns(headings: readonly string[], known: Known, line: number): Columns {
  const { headings: given = {} } = known.options;
  const forms = headings.map((heading) => known.forms.of(heading));
  const issues = sameHeadings(headings, forms, known.kept).map((heading) =>
    issueAt(line, heading, refuse('column_same')),
  );
  const meanings = meaningsOf(forms, known);
  const unknown: string[] = [];
  const seen = new Map<string, string>();
  const columns = forms.map((form, index) => {
    const column = meanings(form);
    const heading = headings[index] ?? '';
    if (column === undefined && !known.kept.includes(form)) unknown.push(heading);
    if (column === undefined || column === null) return null;
    const other = seen.get(column);
    if (other === undefined) seen.set(column, heading);
    else issues.push(issueAt(line, heading, refuse('column_twice', { other })));
    return column;
  });
  const assigned = given['name'] === undefined ? withLastNames(columns, seen) : columns;
  if (assigned.includes('name') && (seen.has('firstName') || seen.has('lastName'))) {
    const other = seen.get('lastName') ?? seen.get('firstName') ?? '';
    issues.push(issueAt(line, seen.get('name') ?? '', refuse('column_twice', { other })));
  }
  const samples = new ColumnSamples(headings, unknown);
  const found = unknownIssues(unknown, new Set(seen.keys()), line, samples);
  // Of a known shop, what is new and decides nothing is left out.
  const isRefused = (issue: RowIssue) =>
    known.options.map === undefined || DECISIVE.has(issue.reason ?? '');
  issues.push(...found.filter(isRefused));
  issues.sort((a, b) => headings.indexOf(a.column ?? '') - headings.indexOf(b.column ?? ''));
  return {
    columns: assigned,
    kept: known.kept.map((form) => forms.indexOf(form)),
    issues,
    samples,
    isExported: known.options.required !== undefined,
    unheaded: new Set(forms.flatMap((form, index) => (form === '' ? [index] : []))),
    leftOut: found.flatMap((issue) => (isRefused(issue) ? [] : [issue.column ?? ''])),
  };
}

/** Why an unknown heading is refused in the list of a known shop too: it may say that a row does not count, or counts more than once. */
const DECISIVE: ReadonlySet<string> = new Set([
  'column_state',
  'column_quantity',
  'column_garbled',
]);

/** The column of each form: what somebody named, then what the shop calls it, then what anybody does; null to leave it out, undefined for an unknown one. */
function meaningsOf(
  forms: readonly string[],
  { given, byForm, ignored, options: { map } }: Known,
): (form: string) => string | null | undefined {
  const isNone = (form: string) => form === '' || ignored.has(form);
  if (!map) return (form) => (isNone(form) ? null : (given.get(form) ?? byForm.get(form)));
  const shop = shopColumns(map, forms, given);
  const taken = new Set([...given.values(), ...shop.values()]);
  return (form) => {
    if (isNone(form)) return null;
    const own = given.get(form) ?? shop.get(form);
    if (own !== undefined) return own;
    const column = byForm.get(form);
    return column !== undefined && taken.has(column) ? null : column;
  };
}

/** Takes `Name` beside a first name for the last one, as in most German lists. */
function withLastNames(
  columns: readonly (string | null)[],
  seen: Map<string, string>,
): readonly (string | null)[] {
  const heading = seen.get('name');
  const isLast = heading !== undefined && formOf(heading) === 'name';
  if (!isLast || !seen.has('firstName') || seen.has('lastName')) return columns;
  seen.delete('name');
  seen.set('lastName', heading);
  return columns.map((column) => (column === 'name' ? 'lastName' : column));
}

/** Says of each heading that is not known what can be done with it. */
function unknownIssues(
  unknown: readonly string[],
  assigned: ReadonlySet<string>,
  line: number,
  samples: ColumnSamples,
): RowIssue[] {
  const garbled = unknown.filter(looksGarbled);
  const suggestions = suggestionsFor(unknown, assigned);
  return unknown.map((heading) => {
    if (garbled.includes(heading)) return issueAt(line, heading, refuse('column_garbled'));
    const suggestion = suggestions.get(heading) ?? null;
    const issue = issueAt(line, heading, refuse(reasonOf(suggestion)));
    return { ...issue, suggestion, samples: samples.of(heading) };
  });
}

function reasonOf(suggestion: Suggestion): 'column_state' | 'column_quantity' | 'column_unknown' {
  if (suggestion === 'state') return 'column_state';
  return suggestion === 'quantity' ? 'column_quantity' : 'column_unknown';
}

/** Matches the headings of a whole file, in which every named heading must be; otherwise like `matchColumns`. */
export function matchHead(headings: readonly string[], known: Known, line: number): Columns {
  const matched = matchColumns(headings, known, line);
  const wrong = matched.columns.some((column) => column !== null) ? undefined : wrongHead(headings);
  if (wrong) {
    const issues = [issueAt(line, null, wrong)];
    return { ...matched, issues, unheaded: new Set() };
  }
  const { required, headings: given = {}, kept = [], onLeftOut } = known.options;
  if (matched.leftOut.length > 0) onLeftOut?.(matched.leftOut);
  if (required !== undefined && !matched.columns.includes(required)) {
    return { ...matched, issues: [issueAt(line, null, refuse('list_no_ids'))] };
  }
  const forms = new Set(headings.map(formOf));
  const absent = refuse('column_missing', { headings: headings.map(asNamed).join(', ') });
  const missing = [...Object.values(given), ...kept]
    .filter((heading) => !forms.has(formOf(heading)))
    .map((heading) => issueAt(line, heading, absent));
  return { ...matched, issues: [...matched.issues, ...missing] };
}
