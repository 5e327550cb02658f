import { Command } from 'commander';
import { logEntryToJson } from '../../../core/codecs/log-entry.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { inZone, shownTime } from '../../../core/time-zone.ts';
import { undoable } from '../../../core/undo.ts';
import { counted } from '../../../kit/counted.ts';
import { sanitizeForTerminal } from '../../../kit/safe-text.ts';
import { zoneOf } from '../../../operations/zone.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { showResult } from '../../../terminal/results.ts';
import { addSettings } from '../../../terminal/setting-options.ts';
import { DATA_SETTINGS, withData } from '../access/data-access.ts';
import type { DataAccess } from '../access/data-types.ts';

interface UndoOptions {
  readonly reason: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan tickets show tkt_ab12cd_0123456789abcdefghij    its scans, each with a number
  ticketscan tickets undo 4711 --reason "the gate did not turn"

The ticket has one use more. The log keeps the use and says who took it back, and why. Each use can be taken back once.`;

/** `ticketscan tickets undo`: a use that was taken by mistake. */
export function undoCommand(io: CliIo): Command {
  const command = new Command('undo')
    .description('Take back the use of one log entry.')
    .argument('<entry>', 'number of the log entry that took the use')
    .requiredOption('--reason <text>', 'why, in one line; the log keeps it')
    .option('--yes', 'do not ask')
    .option('--json', 'a JSON object')
    .addHelpText('after', EXAMPLES)
    .action(async (text: string, options: UndoOptions) => {
      const sequence = sequenceFrom(text);
      await withData(io, { ...options }, (access) => undo(io, access, sequence, options));
    });
  return addSettings(command, DATA_SETTINGS);
}

async function undo(
  io: CliIo,
  { store, tickets }: DataAccess,
  sequence: number,
  { reason, ...options }: UndoOptions,
): Promise<void> {
  const [next] = await store.readLog({ afterSequence: sequence - 1, limit: 1 });
  const found = next?.sequence === sequence ? next : undefined;
  const entry = undoable(found, sequence, found?.undoneBy);
  const place = entry.serial === null ? '' : ` at ${sanitizeForTerminal(entry.serial)}`;
  const zone = await zoneOf(store, { event: eventOfTicketId(entry.ticketId ?? '') });
  const when = inZone(shownTime(entry.at, zone), zone);
  const consequence = `The use of ticket ${entry.ticketId} on ${when}${place} is taken back.`;
  if (!(await confirm(io, { ...options, consequence, needsYes: false }))) return;
  const undone = await tickets.undo(null, sequence, reason);
  const uses = counted(undone.usesConsumed ?? 0, 'use');
  const line = `Entry ${undone.sequence}: ticket ${entry.ticketId} now counts ${uses}.`;
  showResult(io, options, logEntryToJson(undone), line);
}

/** @throws TicketscanError `usage` */
function sequenceFrom(text: string): number {
  const sequence = Number(text);
  if (Number.isSafeInteger(sequence) && sequence >= 1) return sequence;
  throw new TicketscanError(
    'usage',
    `"${text}" is not a number of a log entry. ticketscan log shows them.`,
  );
}
