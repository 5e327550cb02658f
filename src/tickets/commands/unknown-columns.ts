import type { Suggestion } from '../lists/headings.ts';
import { type RowIssue, shortened } from '../lists/row-issues.ts';

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
 * The lines of a message about columns that are not known: what each may be, and which can be left out. No advice leaves out names,
 * ends of tickets, states or numbers.
 * @param known columns that such a list may have
 */
export function unknownColumns(unknown: readonly RowIssue[], known: readonly string[]): string[] {
  const headings = new Map(
    unknown.map((issue) => [shortened(issue).column ?? '', issue.suggestion ?? null]),
  );
  const named = [...headings.keys()];
  const having = (suggestion: Suggestion) =>
    named.filter((heading) => headings.get(heading) === suggestion);
  const pairs = named.flatMap((heading) => {
    const column = headings.get(heading) ?? null;
    return ASSIGNED.has(column) && column !== null && known.includes(column)
      ? [`${column}=${heading}`]
      : [];
  });
  const rest = having(null);
  return [
    `  line ${unknown[0]?.line ?? 1}: unknown ${named.length === 1 ? 'column' : 'columns'} ${named.join(', ')}`,
    `  Known are ${known.join(', ')}.`,
    ...(pairs.length > 0 ? [`  Assign columns, such as --columns "${pairs.join(',')}"`] : []),
    ...having('state').map(
      (heading) =>
        `  "${heading}" may say which rows were cancelled or not paid. Choose those that count: --only "${heading}=VALUE,VALUE"`,
    ),
    ...having('quantity').map(
      (heading) =>
        `  "${heading}" may say how many tickets a row stands for: --quantity "${heading}"`,
    ),
    ...having('decide').map(
      (heading) =>
        `  "${heading}" may be an end or a beginning of tickets: look before you leave it out.`,
    ),
    ...(rest.length > 0 ? [`  ${restAdvice(pairs)} --ignore-columns "${rest.join(',')}"`] : []),
  ];
}

function restAdvice(pairs: readonly string[]): string {
  return pairs.length > 0
    ? 'Leave the others out:'
    : 'Assign columns with --columns NAME=HEADING, or leave them out:';
}
