import type { Command } from '@commander-js/extra-typings';
import { readKeyring } from '../../config/keyring-file.ts';
import { systemClock } from '../../config/system-clock.ts';
import { isoTime } from '../../core/clock.ts';
import { parseDateTime } from '../../core/date-time.ts';
import type { DeviceNames } from '../../core/gate-name.ts';
import { logEntryToJson, ticketToJson } from '../../core/records.ts';
import type { Ticket } from '../../core/ticket.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId, ticketIdIn } from '../../core/ticket-id.ts';
import { shownTime } from '../../core/time-zone.ts';
import { sanitizeForTerminal } from '../../kit/text.ts';
import { type OptionsOf, plainCommand } from '../../terminal/command.ts';
import { readCodeAsRead } from '../../terminal/given-codes.ts';
import type { CliIo } from '../../terminal/io.ts';
import { forOption, readSecretValue, readSettings } from '../../terminal/options.ts';
import { type Names, showResult, table, withName } from '../../terminal/results.ts';
import { deviceNamesOf } from '../devices/rules.ts';
import { logCells, logHeads } from '../log/commands/log-text.ts';
import { keyringOfSite } from '../sites/verifying-keys.ts';
import { keyringPath, openExistingStore, STORE_SETTINGS, tellNotice } from '../store/opening.ts';
import { zoneOf } from '../time-zone.ts';
import {
  type CodeQuestion,
  type ExplainedCode,
  explainCode,
  type LastUse,
} from './explain-scan.ts';
import type { Explanation, StepResult } from './explanation.ts';

const EXAMPLES = `
Examples:
  ticketscan explain TS1.tkt_ab12cd_0123456789abcdefghij.c2ln…
  ticketscan explain 'tkt_ab12cd_01234 56789 abcde fghij'   by the id on the printed ticket
  ticketscan explain file:code.txt --key "Gate 1"           the answer that this key would get
  ticketscan explain env:CODE --key env:KEY --validate --json
  ticketscan explain env:CODE --at 2027-05-01T09:00:00Z     the same scan at another time

Nothing is consumed, and nothing is written to the log. Rules are checked in order; the first that matches decides.
Exit code 0 when the scan would be granted, 1 when it would be denied.`;

function explainOptions(command: Command) {
  return command
    .option('--key <key>', 'for this API key: its value, id or name (default: a key of the event)')
    .option('--validate', 'explain a validate instead of a consume')
    .option('--at <time>', 'explain for this date or time (ISO 8601)');
}

/** `ticketscan explain`: explain why a code is or is not admitted, rule by rule. */
export const command = plainCommand({
  name: 'explain',
  summary: 'Explain step by step how a scan of this code would be answered, and why.',
  argument: [
    '<code>',
    'the text of the QR code, or a ticket id as it is printed; env:NAME and file:PATH are read',
  ],
  options: explainOptions,
  json: '{"answer", "reason", "granted", "steps", "ticket", "lastScans", "lastUse"}',
  help: EXAMPLES,
  settings: STORE_SETTINGS,
  run: explainTo,
});

async function explainTo(
  io: CliIo,
  options: OptionsOf<typeof explainOptions>,
  code: string,
): Promise<void> {
  const settings = readSettings(STORE_SETTINGS, options, io);
  const given = readCodeAsRead(code, io);
  const key = options.key === undefined ? undefined : readSecretValue(options.key, io);
  const store = await openExistingStore(settings.store);
  tellNotice(io, store);
  try {
    const ticketId = ticketIdIn(given) ?? splitTicketCode(given)?.ticketId;
    const zone = await zoneOf(store, { event: eventOfTicketId(ticketId ?? '') });
    const question: CodeQuestion = {
      code: given,
      key,
      now: timeOf(options.at, zone),
      operation: options.validate ? 'validate' : 'consume',
      timeZone: options.json ? undefined : zone,
    };
    const keyring =
      (await keyringOfSite(store)) ??
      readKeyring(keyringPath(settings.store, settings.keyring) ?? '');
    const explained = await explainCode(store, keyring, question);
    showResult(
      io,
      options,
      explainedJson(explained, question.now),
      explainedLines(explained, zone, await deviceNamesOf(store, null)),
    );
    io.exit(explained.explanation.granted ? 0 : 1);
  } finally {
    await store.close();
  }
}

function timeOf(at: string | undefined, zone: string): number {
  if (at === undefined) return systemClock.now();
  return forOption('--at', () => parseDateTime(at, 'from', zone));
}

function explainedJson(explained: ExplainedCode, now: number): object {
  const { explanation, ticket, lastScans, lastUse, timeZone, keyNames } = explained;
  return {
    ...explanation,
    ticket: ticket ? ticketToJson(ticket, now) : null,
    lastScans: lastScans.map(logEntryToJson),
    lastUse: lastUse ? lastUseJson(lastUse, keyNames, timeZone) : null,
  };
}

function lastUseJson({ at, entry }: LastUse, names: Names, timeZone?: string): object {
  const { keyId = null, serial = null, reader = null, sequence = null } = entry ?? {};
  const keyName = names.get(keyId ?? '') ?? null;
  const local = timeZone === undefined ? {} : { timeZone, localTime: shownTime(at, timeZone) };
  return { at: isoTime(at), ...local, keyId, keyName, serial, reader, sequence };
}

function lastUseLine({ at, entry }: LastUse, names: Names, zone: string): string {
  const when = `Last used ${shownTime(at, zone)}`;
  if (!entry) return `${when}; the log does not say where: the entry was pruned, or imported.`;
  const { keyId, serial, reader } = entry;
  const device = serial === null ? '' : `, device ${sanitizeForTerminal(serial)}`;
  const index = reader === null ? '' : `, reader ${sanitizeForTerminal(reader)}`;
  return `${when} at ${withName(keyId, names)}${device}${index}.`;
}

function explainedLines(explained: ExplainedCode, zone: string, devices: DeviceNames): string[] {
  const { explanation, ticket, lastScans, lastUse, keyNames } = explained;
  const lines = [verdictText(explanation), '', ...explanationLines(explanation)];
  const zoned = `Times are in ${zone}.`;
  if (!ticket) return [...lines, '', zoned];
  const scans = table(
    logHeads(),
    lastScans.map((scan) => logCells(scan, keyNames, zone, devices)),
  );
  const heading = `Ticket ${ticketText(explained, ticket)}, created ${shownTime(ticket.createdAt, zone)}`;
  return [
    ...lines,
    '',
    ...(lastUse ? [lastUseLine(lastUse, keyNames, zone)] : []),
    scans.length === 0 ? `${heading}: not scanned yet.` : `${heading}. Last scans:`,
    ...scans,
    '',
    zoned,
  ];
}

/** The id, kind, event and holder of a ticket, for a person who has only the code. */
function ticketText({ eventName }: ExplainedCode, { id, ticketType, holder }: Ticket): string {
  const event = eventName === undefined ? [] : [`event "${eventName}"`];
  const name = holder ? [`${holder.firstName} ${holder.lastName}`.trim()] : [];
  return sanitizeForTerminal([id, ticketType, ...event, ...name].join(', '));
}

const MARKS: Readonly<Record<StepResult, string>> = {
  passed: 'ok  ',
  stopped: 'STOP',
  not_asked: '?   ',
  not_reached: '-   ',
};

/** One line for each step that was reached, and how many were not. */
export function explanationLines({ steps }: Explanation): string[] {
  const reached = steps.filter(({ result }) => result !== 'not_reached');
  const width = Math.max(...steps.map(({ rule }) => rule.length));
  const lines = reached.map(({ rule, result, because }) => {
    return `${MARKS[result]}  ${rule.padEnd(width)}  ${sanitizeForTerminal(because)}`;
  });
  const rest = steps.length - reached.length;
  return rest === 0 ? lines : [...lines, `      ${rest} later rules were not reached.`];
}

/** The answer in a few words, for example `GRANTED: consumed` or `DENIED: rejected (expired)`. */
function verdictText({ answer, reason, granted }: Explanation): string {
  const why = reason === null ? '' : ` (${reason})`;
  if (answer === 'elsewhere') return 'NOT DECIDED HERE: HTTP 500';
  return `${granted ? 'GRANTED' : 'DENIED'}: ${answer}${why}`;
}
