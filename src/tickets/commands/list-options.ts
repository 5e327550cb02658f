import { type Command, Option, type OptionValues } from '@commander-js/extra-typings';
import { TicketscanError } from '../../core/errors.ts';
import { TICKET_KINDS } from '../../core/ticket.ts';
import { didYouMean } from '../../kit/nearest.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { canAsk, confirm } from '../../terminal/prompts.ts';
import { ENCODINGS, type Encoding } from '../lists/read-text.ts';
import type { RowIssue, ValueMaps } from '../lists/rows.ts';
import { groupedIssues, issueInWords, parseValueMap, shortened } from '../lists/rows.ts';

/** How a list is read, as it was given. */
export interface ListReadOptions {
  readonly columns?: string;
  readonly encoding: Encoding;
  readonly eventMap?: string;
  readonly typeMap?: string;
}

export function addListOptions<Before extends OptionValues>(command: Command<[], Before>) {
  return command
    .option('--columns <pairs>', 'headings of columns, such as firstName=Vorname,lastName=Name')
    .addOption(
      new Option('--encoding <name>', 'encoding of a CSV list; latin1 is Windows-1252')
        .choices(ENCODINGS)
        .default('utf-8'),
    )
    .option(
      '--event-map <pairs>',
      'event names of the list and your events for them, such as "VIP=Summer pool"',
    )
    .option(
      '--type-map <pairs>',
      `type names of the list and the types for them (${TICKET_KINDS.join(', ')}), such as Season=permanent`,
    );
}

/**
 * What the names of events and types in a list mean.
 * @param eventOf an event by its id or name; the list then has what this returns
 * @throws TicketscanError `usage`, and as `eventOf` does
 */
export async function meaningsFrom(
  { eventMap, typeMap }: Pick<ListReadOptions, 'eventMap' | 'typeMap'>,
  eventOf: (idOrName: string) => Promise<string>,
): Promise<ValueMaps> {
  const types = typeMap === undefined ? new Map() : parseValueMap(typeMap, '--type-map');
  for (const type of types.values()) checkKind(type);
  const events = eventMap === undefined ? new Map() : parseValueMap(eventMap, '--event-map');
  for (const [text, event] of events) events.set(text, await eventOf(event));
  return { type: types, event: events };
}

function checkKind(type: string): void {
  if (TICKET_KINDS.some((kind) => kind === type)) return;
  throw new TicketscanError(
    'usage',
    `--type-map: "${type}" is not a type.${didYouMean(type, TICKET_KINDS)} Types are ${TICKET_KINDS.join(', ')}.`,
  );
}

/** Tickets that are about to be stored, and how they were asked for. */
interface Ended {
  readonly ended: number;
  readonly total: number;
  readonly yes?: boolean | undefined;
  readonly json?: boolean | undefined;
}

/** Asks on a terminal before tickets are stored that no gate lets in any more, and warns elsewhere. @returns false for no */
export async function mayHaveEnded(
  io: CliIo,
  { ended, total, ...asking }: Ended,
): Promise<boolean> {
  if (ended === 0) return true;
  const which =
    ended === total ? (total === 1 ? 'The ticket' : `All ${total}`) : `${ended} of ${total}`;
  const consequence = `${which} ended before now; gates refuse what has ended.`;
  if (asking.yes || asking.json || !canAsk(io)) io.err(`Warning: ${consequence}`);
  return confirm(io, { ...asking, consequence, needsYes: false });
}

const ISSUES_SHOWN = 100;

/**
 * @param columns that such a list may have
 * @throws TicketscanError `usage` that names every issue, equal ones once, unless they may be skipped
 */
export function refuseIssues(
  file: string,
  issues: readonly RowIssue[],
  columns: readonly string[],
  maySkip: boolean,
): void {
  if (issues.length === 0 || maySkip) return;
  const unknown = issues.filter(({ reason }) => reason === 'column_unknown');
  const others = groupedIssues(issues.filter((issue) => !unknown.includes(issue)));
  const shown = others.slice(0, ISSUES_SHOWN).map((issue) => `  ${issueInWords(issue)}`);
  const rest = others.length - shown.length;
  const onlyHead = issues.every(({ reason = '' }) => HEAD_REASONS.has(reason));
  throw new TicketscanError(
    'usage',
    [
      `${file}: ${counted(issues.length, 'issue')}; nothing was stored.`,
      ...(unknown.length > 0 ? [unknownColumns(unknown, columns)] : []),
      ...shown,
      ...(rest > 0 ? [`  … and ${rest} other issues`] : []),
      ...(onlyHead ? [] : ['Fix the rows, or skip them with --skip-bad.']),
    ].join('\n'),
  );
}

/** No row can be read, so that skipping rows is no way out. */
const HEAD_REASONS: ReadonlySet<string> = new Set([
  ...['column_unknown', 'column_twice', 'column_missing', 'list_no_ids'],
]);

function unknownColumns(unknown: readonly RowIssue[], known: readonly string[]): string {
  const names = [...new Set(unknown.map(({ column }) => shortened({ ...HEAD, column }).column))];
  return [
    `  line ${unknown[0]?.line ?? 1}: unknown ${names.length === 1 ? 'column' : 'columns'} ${names.join(', ')}`,
    `  Known are ${known.join(', ')}. Assign columns with --columns NAME=HEADING, or leave them out: --ignore-columns "${names.join(',')}"`,
  ].join('\n');
}

const HEAD = { line: 1, message: '' };

/** Names the rows of a list that are left out. */
export function reportSkipped(io: CliIo, skipped: readonly RowIssue[]): void {
  for (const issue of skipped) io.err(`skipped ${sanitizeForTerminal(issueInWords(issue))}`);
}
