import { randomBytes } from 'node:crypto';
import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import { hasEnded, type TicketKind } from '../../../core/ticket.ts';
import { makeBatchId } from '../../../core/ticket-id.ts';
import { defined } from '../../../kit/defined.ts';
import { counted } from '../../../kit/text.ts';
import { Interrupted, note } from '../../../terminal/io.ts';
import { Progress } from '../../../terminal/progress.ts';
import { headingList } from '../../../tickets/lists/named-parts.ts';
import { formatOf } from '../../../tickets/lists/read-rows.ts';
import type { DataAccess } from '../../data-access.ts';
import { zoneOf } from '../../time-zone.ts';
import { changeFromList } from './list-changes.ts';
import { mayHaveEnded, reportNotes, reportSkipped } from './list-options.ts';
import {
  type ListPlan,
  type ListRows,
  type ListTarget,
  serverTarget,
  storeTarget,
} from './list-target.ts';
import { isUnique, type NewTicketOptions, readNewTickets } from './new-ticket-list.ts';

/** The options of an import that makes a new ticket for each row. */
export interface ImportNewOptions extends NewTicketOptions {
  readonly event: string;
  readonly type?: TicketKind | undefined;
  readonly uses?: number | undefined;
  readonly ignoreColumns?: string | undefined;
  readonly timeZone?: string | undefined;
}

/**
 * Makes a ticket of an event for each row of a list without ids, and with `--update` changes those that are there: on a store and at a
 * server with the same words.
 * @throws TicketscanError as `readNewTickets` and `changeFromList` do
 */
export async function importNewTickets(
  access: DataAccess,
  options: ImportNewOptions,
  file: string,
): Promise<void> {
  const { io } = access;
  const event = await access.findEvent(options.event);
  const timeZone = await zoneOf(access, {
    asked: options.timeZone,
    organisation: event.organisationId,
  });
  const window = { validFrom: null, validUntil: null };
  const list = await readNewTickets(
    {
      file,
      format: formatOf(file),
      event,
      defaults: { kind: options.type ?? 'single', uses: options.uses, window, timeZone },
      ignored: headingList(options.ignoreColumns ?? ''),
    },
    options,
  );
  reportNotes(io, list.notes);
  const target = targetOf(access, event);
  const plan = await changeFromList(io, target, { file, rows: list }, { ...options, timeZone });
  if (plan === undefined) return;
  const { items, issues } = list;
  const now = access.clock.now();
  const ended = plan.made === 0 ? 0 : items.filter(({ terms }) => hasEnded(terms, now)).length;
  if (!(await mayHaveEnded(io, { ...options, ended, total: items.length }))) return;
  reportSkipped(io, issues);
  const made =
    plan.made === 0
      ? { imported: 0, known: plan.known }
      : await makeAll(access, target, items, isUnique(options));
  const { changed = [], cancelled = [] } = plan.update ?? {};
  const counts = { changed: changed.length, cancelled: cancelled.length };
  const { otherNumbers } = plan;
  const noticed = otherNumbers.length > 0 ? { otherNumbers } : {};
  report(access, options, { ...made, ...counts, skippedFaults: issues.length, ...noticed });
}

function targetOf(
  { local, client }: DataAccess,
  event: Pick<EventRecord, 'id' | 'organisationId'>,
): ListTarget {
  if (local) return storeTarget(local, event);
  if (client) return serverTarget(client, event);
  throw new Error('neither a store nor a server');
}

interface Made {
  readonly imported: number;
  readonly known: number;
  /** Absent where no ticket was made. */
  readonly batch?: string | undefined;
}

async function makeAll(
  { io, clock }: DataAccess,
  target: ListTarget,
  items: ListRows['items'],
  unique: boolean,
): Promise<Made> {
  const batch = makeBatchId(randomBytes);
  const progress = new Progress(io, clock.monotonicMs);
  const stop = io.stopSignal();
  progress.begin('storing', items.length);
  let done = 0;
  const part = () =>
    `${done} of ${items.length} tickets are done, as batch ${batch}. ${unique ? 'Run it again: what is there is not made again.' : 'Delete the batch before you run it again: ticketscan tickets delete --batch.'}`;
  const onPart = (count: number) => {
    done = count;
    progress.update(count);
    if (stop.aborted) throw new Interrupted(`Stopped: ${part()}`);
  };
  try {
    const known = await target.make(items, { isUnique: unique, batch, onPart });
    const imported = items.length - known;
    return { imported, known, ...(imported > 0 && { batch }) };
  } catch (error) {
    if (done === 0 || !(error instanceof TicketscanError)) throw error;
    throw new TicketscanError(error.code, `${error.message} ${part()}`, { cause: error });
  } finally {
    progress.clear();
  }
}

interface Done extends Readonly<Record<'changed' | 'cancelled' | 'skippedFaults', number>> {
  /** Absent where each reference has the number of tickets that the list has. */
  readonly otherNumbers?: ListPlan['otherNumbers'];
}

function report(
  { io }: DataAccess,
  { json, update }: ImportNewOptions,
  { batch, ...counts }: Made & Done,
): void {
  if (json) {
    io.out(JSON.stringify({ ...counts, existing: 0, ...defined({ batch }) }));
    return;
  }
  const { imported, known, changed, cancelled } = counts;
  // An update has said how many are as they are: that no new one is made is no failure.
  if (imported > 0 || !update) note(io, `${counted(imported, 'new ticket')} made.`);
  if (changed + cancelled > 0) note(io, `${changed} changed, ${cancelled} cancelled.`);
  if (known > 0 && !update)
    note(io, `${counted(known, 'ticket')} not made: the reference is known already.`);
  if (batch === undefined) return;
  note(io, `Batch: ${batch}`);
}
