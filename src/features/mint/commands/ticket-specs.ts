import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import { type TicketTerms, windowFrom } from '../../../core/ticket.ts';
import { newTerms } from '../../../core/ticket-changes.ts';
import { TICKET_FIELDS } from '../../../core/ticket-fields.ts';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { forOption } from '../../../terminal/options.ts';
import { fieldsGiven, termsOption } from '../../../terminal/ticket-field-options.ts';
import { formOf } from '../../../tickets/lists/headings.ts';
import type { RowIssue } from '../../../tickets/lists/row-issues.ts';
import { boundIn, type SpecDefaults, type SpecList } from '../../../tickets/lists/ticket-list.ts';
import { CODE_COLUMNS } from '../../../tickets/lists/write-lists.ts';
import { planDigest } from '../../../tickets/making/run-journal.ts';
import { BATCH_TICKETS, type KeptColumns } from '../../../tickets/making/ticket-run.ts';
import type { OpenStore } from '../../data-access.ts';
import { changeFromList } from '../../tickets/commands/list-changes.ts';
import { storeTarget } from '../../tickets/commands/list-target.ts';
import { readNewTickets } from '../../tickets/commands/new-ticket-list.ts';
import type { MintOptions } from './mint-options.ts';

/** The tickets that a command asks for. */
export interface TicketSpecs {
  readonly count: number;
  readonly specAt: (index: number) => TicketTerms;
  readonly kept?: KeptColumns;
  /** Rows of a list that are left out, because the command says so. */
  readonly skipped: readonly RowIssue[];
  /** Notes about a list. */
  readonly notes: readonly string[];
  /** Differs when any ticket differs. */
  readonly digest: string;
  /** The rows of a list; absent where no list was read. */
  readonly rows?: Pick<SpecList, 'items' | 'cancelled'>;
}

/** @throws TicketscanError `usage` for options or rows that do not fit, each named */
export async function ticketSpecs(options: MintOptions, event: EventRecord): Promise<TicketSpecs> {
  const defaults = defaultsFrom(options);
  const { fromCsv, fromJson } = options;
  if (fromCsv !== undefined || fromJson !== undefined) return fromList(options, defaults, event);
  refuseListOptions(options);
  refuseManyOfOne(options);
  const count = options.count ?? 1;
  const { type, uses, firstName, lastName } = options;
  const names = { firstName, lastName };
  const spec = newTerms({
    kind: type,
    uses,
    ...names,
    ...defaults.window,
    ...fieldsGiven(options),
  });
  return { count, specAt: () => spec, skipped: [], notes: [], digest: planDigest(spec) };
}

function defaultsFrom(options: MintOptions): SpecDefaults {
  const { type, uses } = options;
  const timeZone = checkTimeZone(options.timeZone);
  const bound = boundIn(timeZone);
  const window = windowFrom(options, (text: string, name) =>
    forOption(termsOption(name), () => bound(text, name)),
  );
  return { kind: type, uses, window, timeZone };
}

async function fromList(
  options: MintOptions,
  defaults: SpecDefaults,
  event: EventRecord,
): Promise<TicketSpecs> {
  refuseOtherSources(options);
  refuseKept(options);
  const { fromCsv, fromJson, ignoreColumns: ignored, keepColumns: kept } = options;
  const format = fromCsv === undefined ? 'json' : 'csv';
  const file = fromCsv ?? fromJson ?? '';
  const list = { file, format, event, defaults, ignored, kept } as const;
  const { items, issues, notes, cancelled } = await readNewTickets(list, options);
  const specs = items.map(({ terms }) => terms);
  const specAt = (index: number): TicketTerms => {
    const spec = specs[index];
    if (!spec) throw new RangeError(`the list has no ticket ${index}`);
    return spec;
  };
  const rows = { items, cancelled };
  const all = { count: specs.length, specAt, skipped: issues, notes, rows };
  if (kept.length === 0) return { ...all, digest: planDigest(specs) };
  const cells = items.map((item) => item.kept);
  const cellsAt = (index: number) => cells[index] ?? [];
  return { ...all, kept: { headings: kept, cellsAt }, digest: planDigest([specs, kept, cells]) };
}

/** Changes the tickets that a list changes. @returns whether new ones are to be made */
export async function isNewMade(
  io: CliIo,
  access: OpenStore,
  event: EventRecord,
  { rows }: TicketSpecs,
  options: MintOptions,
): Promise<boolean> {
  if (!rows) return true;
  const file = options.fromCsv ?? options.fromJson ?? '';
  const plan = await changeFromList(io, storeTarget(access, event), { file, rows }, options);
  if (plan === undefined) return false;
  if (plan.made > 0) return true;
  note(io, 'No new ticket is made.');
  if (options.json) io.out('[]');
  return false;
}

/** @throws TicketscanError `usage` for columns that tickets.csv has anyway, that are ignored, or where no tickets.csv is written */
function refuseKept({ keepColumns: kept, ignoreColumns, format }: MintOptions): void {
  if (kept.length > 0 && !format.includes('csv'))
    throw new TicketscanError(
      'usage',
      '--keep-columns writes into tickets.csv: add csv to --format.',
    );
  const both = kept.find((name) => ignoreColumns.some((one) => formOf(one) === formOf(name)));
  if (both !== undefined)
    throw new TicketscanError(
      'usage',
      `"${both}" is in --keep-columns and in --ignore-columns. Name it in one of them.`,
    );
  const taken = kept.find((name) => CODE_COLUMNS.some((column) => formOf(column) === formOf(name)));
  if (taken === undefined) return;
  throw new TicketscanError(
    'usage',
    `--keep-columns: tickets.csv has a column "${taken}" of its own. Leave it out of --keep-columns, or rename that column of the list.`,
  );
}

/** Refuses a unique reference that is not given. @throws TicketscanError `usage`, also for more tickets than a store takes at once: they belong together */
function refuseManyOfOne({ uniqueReference, reference, count = 1 }: MintOptions): void {
  if (!uniqueReference) return;
  // An empty one may be a variable of a script that is not set: it names no order.
  if ((reference ?? '').trim() === '')
    throw new TicketscanError('usage', '--unique-reference needs the reference: add --reference.');
  if (count <= BATCH_TICKETS) return;
  throw new TicketscanError(
    'usage',
    `With --unique-reference at most ${BATCH_TICKETS} tickets have one reference: lower --count.`,
  );
}

/** Refuses options that would have no effect, which nobody would notice. */
function refuseListOptions(options: MintOptions): void {
  const { columns, eventMap, typeMap, ignoreColumns, keepColumns, skipBad } = options;
  const { only, quantity, worksheet, map, cancelled, update, dryRun } = options;
  const given = Object.entries({
    '--columns': columns,
    '--event-map': eventMap,
    '--type-map': typeMap,
    '--ignore-columns': ignoreColumns[0],
    '--skip-bad': skipBad,
    '--keep-columns': keepColumns[0],
    '--only': only,
    '--quantity': quantity,
    '--worksheet': worksheet,
    '--map': map,
    '--cancelled': cancelled,
    '--update': update,
    '--dry-run': dryRun,
  }).find(([, value]) => value !== undefined);
  if (given)
    throw new TicketscanError('usage', `${given[0]} is about a list: add --from-csv FILE.`);
}

/** What a list says of each ticket: an option for all of them would be lost, or hide it. `--reference` names its column. */
const { reference: _, ...OF_EACH_ROW } = TICKET_FIELDS;
const FIELDS_OF_ROW = Object.keys(OF_EACH_ROW) as (keyof typeof OF_EACH_ROW)[];
const NAMES = ['firstName', 'lastName'] as const;
const SAID_BY_LIST = ['count', ...NAMES, ...FIELDS_OF_ROW] as const;
const OPTIONS_SAID = [...NAMES.map(termsOption), ...FIELDS_OF_ROW.map((name) => `--${name}`)];

function refuseOtherSources(options: MintOptions): void {
  const { fromCsv, fromJson } = options;
  if (fromCsv !== undefined && fromJson !== undefined) {
    throw new TicketscanError('usage', 'Give --from-csv or --from-json, not both.');
  }
  if (SAID_BY_LIST.some((name) => options[name] !== undefined)) {
    throw new TicketscanError(
      'usage',
      `The list defines the number of tickets, their holders and what is written on them: remove --count, ${OPTIONS_SAID.slice(0, -1).join(', ')} and ${OPTIONS_SAID.at(-1)}.`,
    );
  }
}
