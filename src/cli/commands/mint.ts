import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, Option } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import { newTicket } from '../../core/new-ticket.ts';
import { type NewTicket, TICKET_KINDS, type TicketKind } from '../../core/ticket.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { renderQr } from '../../mint/render-qr.ts';
import type { CliIo } from '../io.ts';
import { parseMoment } from '../parse-time.ts';
import { addSettings } from '../setting-options.ts';
import { STORE_SETTINGS, withStore } from '../store-access.ts';
import { mintedJson } from '../ticket-view.ts';

const FORMATS = ['png', 'svg', 'json', 'txt'] as const;
type Format = (typeof FORMATS)[number];

interface MintOptions {
  readonly event: string;
  readonly type: TicketKind;
  readonly uses?: number;
  readonly count: number;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly validFrom?: string;
  readonly validUntil?: string;
  readonly out?: string;
  readonly format: string;
  readonly terminal?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan mint --event "Summer pool" --type single --count 3 --out tickets
  ticketscan mint --event "Summer pool" --type multi --uses 10 --first-name Ada --last-name Lovelace --terminal
  ticketscan mint --event "Summer pool" --type permanent --valid-until 2027-06-30 --out cards --format png,json

Without --out and --terminal the codes are printed, one a line.`;

/** `ticketscan mint`: signed tickets, in the store and as QR codes. */
export function command(io: CliIo): Command {
  const mint = new Command('mint')
    .description('Create signed tickets and their QR codes.')
    .requiredOption('--event <event>', 'id or name of the event')
    .addOption(
      new Option('--type <type>', 'what kind of ticket').choices(TICKET_KINDS).default('single'),
    )
    .option('--uses <number>', 'uses of a multi-use card, 2 to 100', Number)
    .option('--count <number>', 'how many tickets', Number, 1)
    .option('--first-name <name>', 'first name of the holder')
    .option('--last-name <name>', 'last name of the holder')
    .option('--valid-from <time>', 'date or time (ISO 8601) from which on it is valid')
    .option('--valid-until <time>', 'date or time (ISO 8601) until which it is valid, included')
    .option('--out <folder>', 'write files there')
    .option(
      '--format <formats>',
      `files to write: ${FORMATS.join(', ')}, separated by commas`,
      'png',
    )
    .option('--terminal', 'show the QR codes in the terminal')
    .option('--json', 'the tickets as a JSON array on stdout')
    .addHelpText('after', EXAMPLES)
    .action(async (options: MintOptions) => {
      const formats = formatsFrom(options.format);
      await withStore(io, { ...options }, async ({ store, administration, clock, keyring }) => {
        const keys = await keyring();
        const event = await administration.findEvent(options.event);
        const tickets = makeTickets(options, event.id, clock.now());
        await store.insertTickets(tickets);
        const minted = tickets.map((ticket) => ({
          ticket,
          code: makeTicketCode(ticket.id, keys, 'TS1'),
        }));
        if (options.out !== undefined) await writeFiles(options.out, formats, minted);
        show(io, minted, options);
      });
    });
  return addSettings(mint, STORE_SETTINGS);
}

interface Minted {
  readonly ticket: NewTicket;
  readonly code: string;
}

function makeTickets(options: MintOptions, eventId: string, now: number): NewTicket[] {
  const { count, type, uses, firstName, lastName, validFrom, validUntil } = options;
  if (!Number.isInteger(count) || count < 1) {
    throw new TicketscanError('usage', '--count must be a whole number above 0.');
  }
  const wish = {
    eventId,
    kind: type,
    uses,
    firstName,
    lastName,
    validFrom: validFrom === undefined ? null : parseMoment(validFrom, 'start'),
    validUntil: validUntil === undefined ? null : parseMoment(validUntil, 'end'),
  };
  return Array.from({ length: count }, () => newTicket(wish, now, randomBytes));
}

function formatsFrom(text: string): Format[] {
  return text.split(',').map((part) => {
    const format = FORMATS.find((one) => one === part.trim());
    if (format) return format;
    throw new TicketscanError(
      'usage',
      `There is no format "${part}". Choose from ${FORMATS.join(', ')}.`,
    );
  });
}

async function writeFiles(
  folder: string,
  formats: readonly Format[],
  minted: readonly Minted[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const format of formats) {
    if (format === 'json') {
      const all = minted.map(({ ticket, code }) => mintedJson(ticket, code));
      await writeFile(join(folder, 'tickets.json'), `${JSON.stringify(all, null, 2)}\n`);
      continue;
    }
    for (const { ticket, code } of minted) {
      const content = format === 'txt' ? `${code}\n` : renderQr(code, { format });
      await writeFile(join(folder, `${ticket.id}.${format}`), content);
    }
  }
}

function show(io: CliIo, minted: readonly Minted[], { out, terminal, json }: MintOptions): void {
  if (json) {
    io.out(
      JSON.stringify(
        minted.map(({ ticket, code }) => mintedJson(ticket, code)),
        null,
        2,
      ),
    );
    return;
  }
  for (const { ticket, code } of minted) {
    if (terminal) io.out(`${ticket.id}\n${renderQr(code, { format: 'terminal' })}`);
    else if (out === undefined) io.out(code);
  }
  if (out !== undefined)
    io.err(`${minted.length} tickets are in the store, their files in ${out}.`);
}
