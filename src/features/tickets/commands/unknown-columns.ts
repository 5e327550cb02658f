import type { Suggestion } from '../../../tickets/lists/headings.ts';
import { asNamed, pastable } from '../../../tickets/lists/named-parts.ts';
import { type RowIssue, shortened } from '../../../tickets/lists/row-issues.ts';

/** The columns for which another heading can be assigned. */
const ASSIGNED: ReadonlySet<Suggestion> = new Set([
  'firstName',
  'lastName',
  'name',
  'validFrom',
  'validUntil',
  'type',
]);

/**
 * The lines of a message about columns that are not known: what each may be, and which can be left out: only those that are known to say
 * nothing about tickets.
 * @param known columns that such a list may have
 */
export function unknownColumns(unknown: readonly RowIssue[], known: readonly string[]): string[] {
  const headings = new Map(
    unknown.map((issue) => [shortened(issue).column ?? '', issue.suggestion ?? null]),
  );
  const named = [...headings.keys()];
  const like = (heading: string) => samplesOf(unknown, heading);
  const having = (suggestion: Suggestion) =>
    named.filter((heading) => headings.get(heading) === suggestion);
  const pairs = named.flatMap((heading) => {
    const column = headings.get(heading) ?? null;
    return ASSIGNED.has(column) && column !== null && known.includes(column)
      ? [`${column}=${asNamed(heading)}`]
      : [];
  });
  const rest = having(null);
  return [
    `  line ${unknown[0]?.line ?? 1}: unknown ${named.length === 1 ? 'column' : 'columns'} ${named.map(asNamed).join(', ')}`,
    `  Known are ${known.join(', ')}.`,
    ...(pairs.length > 0
      ? [`  Assign columns, such as --columns ${pastable(pairs.join(','))}`]
      : []),
    ...having('state').map(
      (heading) =>
        `  "${heading}"${like(heading)} may say which rows were cancelled, used or not paid. Choose those that count: --only ${pastable(`${asNamed(heading)}=VALUE,VALUE`)}${hasEmpty(unknown, heading) ? `, or those with nothing there: --only ${pastable(`${asNamed(heading)}=`)}` : ''}`,
    ),
    ...having('quantity').map(
      (heading) =>
        `  "${heading}"${like(heading)} may say how many tickets a row stands for: --quantity ${pastable(heading)}`,
    ),
    ...having('decide').map(
      (heading) =>
        `  "${heading}"${like(heading)} may be an end or a beginning of tickets: look before you leave it out.`,
    ),
    ...having('look').map(
      (heading) =>
        `  "${heading}"${like(heading)}: look at this column. Assign it with --columns, choose rows by it with --only, count by it with --quantity, or leave it out with --ignore-columns where it says nothing about tickets.`,
    ),
    ...(rest.length > 0
      ? [
          `  These say nothing about tickets; leave them out: --ignore-columns ${pastable(rest.map(asNamed).join(','))}`,
        ]
      : []),
  ];
}

/** The texts that are in a column that is not known. */
function textsIn(unknown: readonly RowIssue[], heading: string): ReadonlySet<string> {
  const own = unknown.filter((issue) => shortened(issue).column === heading);
  return new Set(own.flatMap(({ samples = [] }) => samples));
}

/** Whether a row has nothing in a column: `Refunded at` is empty where a guest has paid. */
function hasEmpty(unknown: readonly RowIssue[], heading: string): boolean {
  return textsIn(unknown, heading).has('');
}

const SAMPLES_SHOWN = 3;
const CHARACTERS_SHOWN = 40;

/** Some values of a column, such as ` ("paid", "cancelled")`. */
function samplesOf(unknown: readonly RowIssue[], heading: string): string {
  const all = [...textsIn(unknown, heading)].filter((text) => text !== '');
  const shown = all.slice(0, SAMPLES_SHOWN).map((text) => {
    const short = text.length <= CHARACTERS_SHOWN ? text : `${text.slice(0, CHARACTERS_SHOWN)}…`;
    return `"${short.toWellFormed()}"`;
  });
  return shown.length > 0 ? ` (${shown.join(', ')})` : '';
}
