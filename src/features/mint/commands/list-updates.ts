import { randomBytes } from 'node:crypto';
import { isoTime } from '../../../core/clock.ts';
import type { EventRecord } from '../../../core/records.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { NEW_TICKET_COLUMNS } from '../../../tickets/lists/ticket-list.ts';
import { COMMAND_LINE } from '../../actor.ts';
import type { OpenStore } from '../../data-access.ts';
import { refuseIssues, reportSkipped } from '../../tickets/commands/list-options.ts';
import {
  applyUpdate,
  type ChangedTerms,
  knownAmong,
  type ListUpdate,
  planUpdate,
  type TicketChange,
  wholeName,
} from '../../tickets/list-update.ts';
import { TicketAdministration } from '../../tickets/rules.ts';
import type { MintOptions } from './mint-options.ts';
import { isUnique, type TicketSpecs } from './ticket-specs.ts';

/** What a list would do: tickets that it makes, and those that it changes. */
interface ListPlan {
  /** Tickets that are made. */
  readonly made: number;
  /** Tickets that are not made, because their reference is known. */
  readonly known: number;
  /** Undefined where tickets that are there are left alone. */
  readonly update: ListUpdate | undefined;
}

type Rows = NonNullable<TicketSpecs['rows']>;

/**
 * Says what a list would do, asks on a terminal, and changes the tickets that are there; new ones are the caller's.
 * @returns false when no ticket is to be made
 * @throws TicketscanError `usage` for changes that a ticket cannot take
 */
export async function updateFromList(
  io: CliIo,
  access: Pick<OpenStore, 'store' | 'clock'>,
  event: EventRecord,
  { rows, count }: Pick<TicketSpecs, 'rows' | 'count'>,
  options: MintOptions,
): Promise<boolean> {
  const { update, dryRun, json } = options;
  const made = rows && (update || dryRun) ? await updated(io, access, event, rows, options) : count;
  if (made === undefined) return false;
  if (made > 0) return true;
  note(io, 'No new ticket is made.');
  if (json) io.out('[]');
  return false;
}

/** @returns how many new tickets are to be made; undefined when nothing is to be done */
async function updated(
  io: CliIo,
  { store, clock }: Pick<OpenStore, 'store' | 'clock'>,
  event: EventRecord,
  rows: Rows,
  options: MintOptions,
): Promise<number | undefined> {
  const plan = await planOf(io, store, event, rows, options);
  if (options.dryRun) {
    tellOnly(io, plan, options);
    return undefined;
  }
  if (!(await isAgreed(io, plan, options))) return undefined;
  const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  if (plan.update) await applyUpdate(administration, plan.update);
  return plan.made;
}

async function planOf(
  io: CliIo,
  store: OpenStore['store'],
  event: EventRecord,
  rows: Rows,
  options: MintOptions,
): Promise<ListPlan> {
  const update = options.update ? await planUpdate(store, event, rows) : undefined;
  const issues = update?.issues ?? [];
  const { fromCsv, fromJson, skipBad } = options;
  const valid = rows.items.length + rows.cancelled.length - issues.length;
  refuseIssues(fromCsv ?? fromJson ?? '', issues, Object.keys(NEW_TICKET_COLUMNS), {
    skipBad,
    valid,
  });
  reportSkipped(io, issues);
  return { ...(await madeFrom(store, event, rows, options)), update };
}

/** Says what would be done, for `--dry-run`. */
function tellOnly(io: CliIo, plan: ListPlan, { json, timeZone }: MintOptions): void {
  if (json) {
    io.out(JSON.stringify(planToJson(plan), null, 2));
    return;
  }
  tell(io, plan, timeZone);
  note(io, 'Nothing was changed (--dry-run).');
}

/** Tells what will be done; on a terminal somebody must agree. */
async function isAgreed(io: CliIo, plan: ListPlan, options: MintOptions): Promise<boolean> {
  tell(io, plan, options.timeZone);
  const { changed = [], cancelled = [] } = plan.update ?? {};
  if (changed.length + cancelled.length + plan.made === 0) return true;
  const consequence = 'All of this is done now.';
  return confirm(io, { ...options, consequence, needsYes: false });
}

async function madeFrom(
  store: OpenStore['store'],
  { organisationId }: EventRecord,
  { items }: Rows,
  options: MintOptions,
): Promise<Omit<ListPlan, 'update'>> {
  if (!isUnique(options)) return { made: items.length, known: 0 };
  const references = items.map(({ terms }) => terms.reference ?? '');
  const known = await knownAmong(store, organisationId, references);
  const made = references.filter((reference) => !known.has(reference)).length;
  return { made, known: items.length - made };
}

const CHANGES_SHOWN = 20;

function tell(io: CliIo, { made, known, update }: ListPlan, zone: string): void {
  const parts = [`New tickets: ${made}`];
  if (update)
    parts.push(
      `to change: ${update.changed.length}`,
      `to cancel: ${update.cancelled.length}`,
      `as they are: ${update.unchanged}`,
    );
  else if (known > 0) parts.push(`known already: ${known}`);
  note(io, `${parts.join(', ')}.`);
  if (!update) return;
  const { changed, cancelled, stayCancelled, elsewhere } = update;
  const lines = [
    ...cancelled.map(({ reference }) => `${reference}: is cancelled`),
    ...changed.map((change) => `${change.reference}: ${changeInWords(change, zone)}`),
  ];
  for (const line of lines.slice(0, CHANGES_SHOWN)) note(io, `  ${sanitizeForTerminal(line)}`);
  if (lines.length > CHANGES_SHOWN)
    note(io, `  … and ${lines.length - CHANGES_SHOWN} more: --dry-run --json has all.`);
  if (stayCancelled > 0)
    note(io, `${counted(stayCancelled, 'ticket')} cancelled here: a list never reinstates.`);
  if (elsewhere > 0)
    note(
      io,
      `${counted(elsewhere, 'reference')} of another event or of an erased guest: nothing is made or changed for ${elsewhere === 1 ? 'it' : 'them'}.`,
    );
}

function changeInWords({ before, after }: TicketChange, zone: string): string {
  const names = Object.keys(after) as (keyof ChangedTerms)[];
  const of = (terms: ChangedTerms, name: keyof ChangedTerms) =>
    name === 'holder'
      ? terms.holder
        ? wholeName(terms.holder)
        : 'no name'
      : (shownTime(terms[name] ?? null, zone) ?? 'no bound');
  const words = { holder: 'name', validFrom: 'valid from', validUntil: 'valid until' };
  return names
    .map((name) => {
      const label = name === 'holder' ? words[name] : inZone(words[name], zone);
      return `${label}: ${of(before, name)} → ${of(after, name)}`;
    })
    .join('; ');
}

function planToJson({ made, known, update }: ListPlan): object {
  if (!update) return { new: made, known };
  const { changed, cancelled, unchanged, stayCancelled, elsewhere } = update;
  return {
    new: made,
    known,
    changed: changed.map((one) => ({
      ...one,
      before: termsToJson(one.before),
      after: termsToJson(one.after),
    })),
    cancelled,
    unchanged,
    stayCancelled,
    elsewhere,
  };
}

function termsToJson({ holder, validFrom, validUntil }: ChangedTerms): object {
  return {
    ...(holder !== undefined && { holder }),
    ...(validFrom !== undefined && { validFrom: isoTime(validFrom) }),
    ...(validUntil !== undefined && { validUntil: isoTime(validUntil) }),
  };
}
