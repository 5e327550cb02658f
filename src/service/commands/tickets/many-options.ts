import type { Command } from 'commander';
import { TicketscanError } from '../../../core/errors.ts';
import { counted } from '../../../kit/counted.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { Progress } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { type ManyAct, type ManyTickets, refuseBoth } from '../../manage/many-tickets.ts';
import type { DataAccess } from '../access/data-types.ts';

export interface ManyOptions {
  readonly event?: string;
  readonly batch?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

/** Which tickets a command is about: named ones, or all of an event or a batch. */
export function addManyOptions(command: Command): Command {
  return command
    .argument('[ticket...]', 'codes, or ids as they are printed')
    .option('--event <event>', 'all tickets of this event (id or name)')
    .option('--batch <batch>', 'all tickets of this run of mint, import or create')
    .option('--yes', 'do not ask');
}

/** True when all tickets of an event or a batch are meant. @throws TicketscanError `usage` unless one of the three is named */
export function meansMany(given: readonly string[], { event, batch }: ManyOptions): boolean {
  const isMany = event !== undefined || batch !== undefined;
  if (isMany === given.length > 0) {
    throw new TicketscanError('usage', 'Name tickets, or all of them with --event or --batch.');
  }
  if (isMany) refuseBoth(event, batch);
  return isMany;
}

interface ManyTexts {
  /** Such as `is refused from now on`. */
  readonly consequence: string;
  readonly doing: string;
}

/**
 * Asks, then cancels or deletes all tickets of the event or the batch, step by step.
 * @returns undefined when the answer was no
 * @throws TicketscanError `not_found` when there are no such tickets
 */
export async function changeMany(
  io: CliIo,
  access: DataAccess,
  act: ManyAct,
  options: ManyOptions,
  { consequence, doing }: ManyTexts,
): Promise<{ changed: number; kept: number } | undefined> {
  const { selected, name, organisationId, total } = await selectionOf(access, options);
  const which = total === undefined ? name : `${name} (${counted(total, 'ticket')})`;
  const question = `Every ticket of ${which} ${consequence}.`;
  if (!(await confirm(io, { ...options, consequence: question, needsYes: true }))) return undefined;
  const progress = new Progress(io, access.clock.monotonicMs);
  progress.begin(doing, total ?? 0);
  const sum = { changed: 0, kept: 0 };
  try {
    let after: string | null = null;
    do {
      const done = await access.many.step(act, organisationId, selected, after);
      sum.changed += done.changed;
      sum.kept += done.kept;
      after = done.next;
      progress.update(sum.changed + sum.kept);
    } while (after !== null);
  } finally {
    progress.clear();
  }
  if (sum.changed + sum.kept === 0) {
    throw new TicketscanError('not_found', `There is no ticket of ${name}.`);
  }
  return sum;
}

async function selectionOf(
  { store, administration }: DataAccess,
  { event, batch }: ManyOptions,
): Promise<{
  selected: ManyTickets;
  name: string;
  organisationId: string | null;
  total?: number;
}> {
  if (event !== undefined) {
    const { id, name, organisationId } = await administration.findEvent(event);
    const total = await store.countTickets(id);
    return {
      selected: { eventIds: [id] },
      name: `event "${sanitizeForTerminal(name)}"`,
      organisationId,
      total,
    };
  }
  const events = await store.list('event');
  const owners = new Set(events.map(({ organisationId }) => organisationId));
  const [owner = null] = owners;
  return {
    selected: { eventIds: events.map(({ id }) => id), batch: batch ?? '' },
    name: `batch ${sanitizeForTerminal(batch ?? '')}`,
    organisationId: owners.size === 1 ? owner : null,
  };
}
