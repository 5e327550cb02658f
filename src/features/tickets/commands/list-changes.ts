import { isoTime } from '../../../core/clock.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import type { CommonOptions } from '../../../terminal/command.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { NEW_TICKET_COLUMNS } from '../../../tickets/lists/ticket-list.ts';
import {
  type ChangedTerms,
  type ListUpdate,
  type OtherNumber,
  type TicketChange,
  wholeName,
} from '../list-update.ts';
import { refuseIssues, reportSkipped } from './list-options.ts';
import type { ListPlan, ListRows, ListTarget } from './list-target.ts';
import { isUnique } from './new-ticket-list.ts';

/** How a list changes tickets that are there. */
interface ChangeOptions extends CommonOptions {
  readonly update?: boolean | undefined;
  readonly dryRun?: boolean | undefined;
  readonly uniqueReference?: boolean | undefined;
  readonly skipBad?: boolean | undefined;
  /** The zone of the times that are shown. */
  readonly timeZone: string;
}

/** A list, with the file that it is from. */
interface ListOfFile {
  readonly file: string;
  readonly rows: ListRows;
}

/**
 * Says what a list would do, asks on a terminal, and changes the tickets that are there; new ones are the caller's.
 * @returns what was planned; undefined when nothing is to be done
 * @throws TicketscanError `usage` for changes that a ticket cannot take
 */
export async function changeFromList(
  io: CliIo,
  target: ListTarget,
  { file, rows }: ListOfFile,
  options: ChangeOptions,
): Promise<ListPlan | undefined> {
  const { update: updates = false, dryRun, skipBad } = options;
  tellCancelledRows(io, rows.cancelled.length);
  const all = { made: rows.items.length, known: 0, otherNumbers: [], update: undefined };
  if (!isUnique(options) && !dryRun) return all;
  const plan = await target.plan(rows, { updates, isUnique: isUnique(options) });
  const issues = plan.update?.issues ?? [];
  const valid = rows.items.length + rows.cancelled.length - issues.length;
  refuseIssues(file, issues, Object.keys(NEW_TICKET_COLUMNS), { skipBad, valid });
  reportSkipped(io, issues);
  if (dryRun) {
    tellOnly(io, plan, options);
    return undefined;
  }
  if (!updates) {
    tellOtherNumbers(io, plan.otherNumbers);
    return { ...all, otherNumbers: plan.otherNumbers };
  }
  if (!(await isAgreed(io, plan, options))) return undefined;
  if (plan.update) await target.apply(rows, plan.update);
  return plan;
}

/** Somebody who looks for the ticket of such a row must know why there is none. */
function tellCancelledRows(io: CliIo, count: number): void {
  if (count === 0) return;
  const makes =
    count === 1 ? 'is cancelled in the list: it makes' : 'are cancelled in the list: they make';
  note(io, `${counted(count, 'row')} ${makes} no ticket.`);
}

/** Says what would be done, for `--dry-run`. */
function tellOnly(io: CliIo, plan: ListPlan, { json, timeZone }: ChangeOptions): void {
  if (json) {
    io.out(JSON.stringify(planToJson(plan), null, 2));
    return;
  }
  tell(io, plan, timeZone);
  note(io, 'Nothing was changed (--dry-run).');
}

/** Tells what will be done; on a terminal somebody must agree. */
async function isAgreed(io: CliIo, plan: ListPlan, options: ChangeOptions): Promise<boolean> {
  tell(io, plan, options.timeZone);
  const { changed = [], cancelled = [] } = plan.update ?? {};
  if (changed.length + cancelled.length + plan.made === 0) return true;
  const consequence = 'All of this is done now.';
  return confirm(io, { ...options, consequence, needsYes: false });
}

const CHANGES_SHOWN = 20;

function tell(io: CliIo, plan: ListPlan, zone: string): void {
  const { made, known, update, otherNumbers } = plan;
  const parts = [`New tickets: ${made}`];
  if (update)
    parts.push(
      `to change: ${update.changed.length}`,
      `to cancel: ${update.cancelled.length}`,
      `as they are: ${update.unchanged}`,
    );
  else if (known > 0) parts.push(`known already: ${known}`);
  note(io, `${parts.join(', ')}.`);
  if (update) tellUpdate(io, update, zone);
  tellOtherNumbers(io, otherNumbers);
}

function tellUpdate(io: CliIo, update: ListUpdate, zone: string): void {
  const { changed, cancelled, stayCancelled, elsewhere, differing } = update;
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
  if (differing > 0)
    note(
      io,
      `${counted(differing, 'ticket')} ${differing === 1 ? 'differs' : 'differ'} in note, attention, type or uses, which a list does not change.`,
    );
}

/** Names the references with another number of tickets: nobody else does what is to be done for them. */
function tellOtherNumbers(io: CliIo, numbers: readonly OtherNumber[]): void {
  if (numbers.length === 0) return;
  const named = numbers
    .slice(0, CHANGES_SHOWN)
    .map(({ reference, listed, here }) => `${reference} (list ${listed}, here ${here})`);
  const rest = numbers.length - named.length;
  if (rest > 0) named.push(`… and ${rest} more`);
  const [have, them] = numbers.length === 1 ? ['has', 'it'] : ['have', 'them'];
  note(
    io,
    `${counted(numbers.length, 'reference')} ${have} another number of tickets than the list: ${sanitizeForTerminal(named.join(', '))}. Nothing is changed for ${them}: make or cancel these tickets by hand.`,
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

function planToJson({ made, known, otherNumbers, update }: ListPlan): object {
  if (!update) return { new: made, known, otherNumbers };
  const { changed, cancelled, unchanged, stayCancelled, elsewhere, differing } = update;
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
    differing,
    otherNumbers,
  };
}

function termsToJson({ holder, validFrom, validUntil }: ChangedTerms): object {
  return {
    ...(holder !== undefined && { holder }),
    ...(validFrom !== undefined && { validFrom: isoTime(validFrom) }),
    ...(validUntil !== undefined && { validUntil: isoTime(validUntil) }),
  };
}
