import { type Command, Option } from '@commander-js/extra-typings';
import { refuse, TicketscanError } from '../../../core/errors.ts';
import { SHOP_LABELS, SHOP_NAMES, type ShopName } from '../../../core/shop-names.ts';
import { TICKET_KINDS } from '../../../core/ticket.ts';
import { didYouMean } from '../../../kit/nearest.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import type { OptionsOf } from '../../../terminal/command.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { collected, forOption } from '../../../terminal/options.ts';
import { canAsk, confirm } from '../../../terminal/prompts.ts';
import { joinedValues, meaningKey, type RowChoice } from '../../../tickets/lists/chosen-rows.ts';
import type { ColumnHeadings } from '../../../tickets/lists/match-columns.ts';
import {
  betweenCommas,
  headingList,
  namedPair,
  namedPart,
  namedParts,
} from '../../../tickets/lists/named-parts.ts';
import type { ValueMaps } from '../../../tickets/lists/read-list.ts';
import { ENCODINGS } from '../../../tickets/lists/read-text.ts';
import { groupedIssues, issueInWords, type RowIssue } from '../../../tickets/lists/row-issues.ts';
import type { ShopMap } from '../../../tickets/lists/shop-map.ts';
import { findShopMap } from '../shop-maps.ts';
import { unknownColumns } from './unknown-columns.ts';

/** The options that say how a list is read. */
export function addListOptions(command: Command) {
  return command
    .option('--columns <pairs>', 'headings of columns, such as firstName=Vorname,lastName=Name')
    .addOption(
      new Option('--encoding <name>', 'encoding of a CSV list; latin1 is Windows-1252')
        .choices(ENCODINGS)
        .default('utf-8'),
    )
    .option('--worksheet <name>', 'sheet of an .xlsx list (default: the first that is not hidden)')
    .option(
      '--event-map <pairs>',
      'event names of the list and your events for them, such as "VIP=Summer pool"',
    )
    .option(
      '--type-map <pairs>',
      `type names of the list and the types for them (${TICKET_KINDS.join(', ')}), such as Season=permanent`,
    )
    .option(
      '--only <column=values>',
      'only rows whose column has one of the values, such as "Status=paid,free"; repeat it for other columns',
      collected,
    )
    .option('--quantity <column>', 'column that says how many tickets a row stands for')
    .option(
      '--unique-reference',
      'skip tickets whose reference a ticket of the organisation has already',
    );
}

/** The options for the list of a shop, which is imported again and again. */
export function addShopOptions(command: Command) {
  return command
    .option(
      '--map <name|file>',
      `what the columns and values of a shop's list mean: ${SHOP_NAMES.join(', ')}, or a file of yours`,
    )
    .option(
      '--cancelled <column=values>',
      'rows whose column has one of the values were cancelled, such as "Status=cancelled,refunded": they make no ticket; with --map, words alone are more values of its columns; repeat it for other columns',
      collected,
    )
    .option(
      '--update',
      'with the new tickets also take over names, ends, beginnings and cancellations that the list has otherwise; needs a reference in each row',
    )
    .option('--dry-run', 'say what would be made and changed, and do nothing');
}

type ListReadOptions = OptionsOf<typeof addListOptions>;

/**
 * What a map and options say of the rows of a shop's list.
 * @throws TicketscanError `usage` for a map that cannot be read, and for `--cancelled` in another form
 */
export function shopRowsFrom({
  map: nameOrFile,
  cancelled = [],
}: Pick<OptionsOf<typeof addShopOptions>, 'map' | 'cancelled'>): {
  readonly map: ShopMap | undefined;
  readonly cancelled: readonly RowChoice[];
} {
  const map = nameOrFile === undefined ? undefined : findShopMap(nameOrFile);
  const pairs = cancelled.filter((text) => namedPair(text) !== undefined);
  const words = cancelled.filter((text) => !pairs.includes(text)).flatMap(headingList);
  const columns = Object.entries(map?.cancelled ?? {});
  if (words.length > 0 && columns.length === 0)
    throw new TicketscanError(
      'usage',
      `--cancelled: "${words[0]}" names no column. Write COLUMN=VALUE,VALUE, such as "Status=cancelled", or add --map with a shop whose columns are known.`,
    );
  const more = columns.map(([heading, values]) => [heading, [...values, ...words]] as const);
  return {
    map: map && { ...map, cancelled: Object.fromEntries(more) },
    cancelled: choicesFrom(pairs, '--cancelled'),
  };
}

/** The columns of `--reference`: one is read as the reference, several are put together. */
export function referenceFrom(text: string | undefined): {
  readonly headings: ColumnHeadings;
  readonly reference: readonly string[] | undefined;
} {
  const parts = text === undefined ? [] : headingList(text);
  const [only, ...others] = parts;
  if (only === undefined) return { headings: {}, reference: undefined };
  if (others.length === 0) return { headings: { reference: only }, reference: undefined };
  return { headings: {}, reference: parts };
}

/**
 * Reads `firstName=Vorname,lastName=Nachname`: the headings of columns.
 * @param known the names that columns have
 * @throws TicketscanError `usage` for another form and for a column that does not exist
 */
export function parseHeadings(text: string, known: readonly string[]): ColumnHeadings {
  const pairs = betweenCommas(text).map((pair) => {
    const { name: column, rest } = namedPair(pair) ?? { name: '', rest: '' };
    const heading = namedPart(rest).text;
    if (known.includes(column) && heading !== '') return [column, heading] as const;
    const detail = `Columns are ${known.join(', ')}.${didYouMean(column, known)}`;
    throw refuse('list_columns', { text: pair }, { detail });
  });
  return Object.fromEntries(pairs);
}

/**
 * Reads `VIP=Summer pool,Day=Winter pool`: a text of the list, and what it is here.
 * @param option as it is typed, for the message
 * @throws TicketscanError `usage` for another form, and for a text that is named twice
 */
function parseValueMap(text: string, option: string): Map<string, string> {
  const map = new Map<string, string>();
  for (const pair of betweenCommas(text)) {
    const { name, rest } = namedPair(pair) ?? { name: '', rest: '' };
    const [from, to] = [meaningKey(name), namedPart(rest).text];
    if (from === '' || to === '') {
      throw new TicketscanError(
        'usage',
        `${option}: "${pair}" is not a pair. Write TEXT=MEANING, separated by commas, such as VIP=permanent.`,
      );
    }
    if (map.has(from)) {
      throw new TicketscanError('usage', `${option} names "${from}" twice: once is enough.`);
    }
    map.set(from, to);
  }
  return map;
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
  for (const [text, event] of events) {
    const found = await eventOf(event).catch((error) =>
      forOption('--event-map', () => {
        throw error;
      }),
    );
    events.set(text, found);
  }
  return { type: types, event: events };
}

function checkKind(type: string): void {
  if (TICKET_KINDS.some((kind) => kind === type)) return;
  throw new TicketscanError(
    'usage',
    `--type-map: "${type}" is not a type.${didYouMean(type, TICKET_KINDS)} Choose from ${TICKET_KINDS.join(', ')}.`,
  );
}

/**
 * Reads `Status=paid,free`: the rows that count. `Refunded=` and `Refunded=""` are those with nothing in that column.
 * @throws TicketscanError `usage` for another form
 */
export function choicesFrom(only: readonly string[] = [], option = '--only'): RowChoice[] {
  return only.map((text) => {
    const { name: heading, rest } = namedPair(text) ?? { name: '', rest: ',' };
    // A comma too many, as in `Status=paid,`, must not let in the rows with nothing there.
    const parts = namedParts(rest);
    const isEmpty = rest.trim() === '';
    if (heading !== '' && isEmpty) return { heading, values: [''], joined: [] };
    if (heading !== '' && parts.length > 0)
      return { heading, values: parts.map((part) => part.text), joined: joinedValues(rest) };
    throw new TicketscanError(
      'usage',
      `${option}: "${text}" does not name rows. Write COLUMN=VALUE,VALUE, such as "Status=paid", or "Refunded=" for rows with nothing there.`,
    );
  });
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

interface HowRefused {
  readonly skipBad?: boolean | undefined;
  /** How many rows could be stored. */
  readonly valid: number;
  /** The shop whose list it seems to be. */
  readonly shop?: ShopName | undefined;
}

/**
 * @param columns that such a list may have
 * @throws TicketscanError `usage` that names every issue, equal ones once, unless they may be skipped
 */
export function refuseIssues(
  file: string,
  issues: readonly RowIssue[],
  columns: readonly string[],
  { skipBad = false, valid, shop }: HowRefused,
): void {
  if (issues.length === 0 || (skipBad && valid > 0)) return;
  const unknown = issues.filter(({ suggestion }) => suggestion !== undefined);
  const others = groupedIssues(issues.filter((issue) => !unknown.includes(issue)));
  const shown = others.slice(0, ISSUES_SHOWN).map((issue) => `  ${issueInWords(issue)}`);
  const rest = others.length - shown.length;
  const onlyHead = issues.every(({ reason = '' }) => HEAD_REASONS.has(reason));
  throw new TicketscanError(
    'usage',
    [
      `${file}: ${counted(issues.length, 'issue')}; nothing was stored.`,
      ...(shop ? [`This seems to be a list of ${SHOP_LABELS[shop]}: add --map ${shop}.`] : []),
      ...(unknown.length > 0 ? unknownColumns(unknown, columns) : []),
      ...shown,
      ...(rest > 0 ? [`  … and ${rest} other issues`] : []),
      ...ADVICE.filter(([reason]) => issues.some((issue) => issue.reason === reason)).map(
        ([, advice]) => advice,
      ),
      ...(onlyHead
        ? []
        : [valid > 0 ? 'Fix the rows, or skip them with --skip-bad.' : 'Fix the rows.']),
    ].join('\n'),
  );
}

const ADVICE = [
  [
    'row_unknown_event',
    'Create the events of the list first, or with --create-events (on a store, not with --url).',
  ],
  ['row_existing', 'Skip existing tickets with --skip-existing.'],
] as const;

/** No row can be read, so that skipping rows is no way out. */
const HEAD_REASONS: ReadonlySet<string> = new Set([
  'column_unknown',
  'column_state',
  'column_quantity',
  'column_garbled',
  'column_same',
  'column_twice',
  'column_missing',
  'list_separator',
  'list_title',
  'list_no_ids',
]);

/** Says what was noticed in a list. */
export function reportNotes(io: CliIo, notes: readonly string[]): void {
  for (const one of notes) io.err(sanitizeForTerminal(one));
}

/** Names the rows of a list that are left out. */
export function reportSkipped(io: CliIo, skipped: readonly RowIssue[]): void {
  for (const issue of groupedIssues(skipped))
    io.err(`skipped ${sanitizeForTerminal(issueInWords(issue))}`);
}
