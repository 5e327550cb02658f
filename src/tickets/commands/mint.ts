import { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import { STORE_SETTINGS, withNewStore } from '../../service/commands/access/store-access.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import type { FileFormat } from '../making/mint-files.ts';
import { NEW_TICKET_COLUMNS } from '../making/spec-list.ts';
import { LAYOUTS } from '../sheets/layouts.ts';
import { addOutputOptions, addTicketOptions, type MintOptions } from './mint/mint-options.ts';
import { runMint } from './mint/run-mint.ts';

const EXAMPLES = `
Examples:
  ticketscan mint --event "Summer pool" --type single --count 3 --out tickets
  ticketscan mint --event "Summer pool" --type multi --uses 10 --first-name Ada --last-name Lovelace --terminal
  ticketscan mint --event "Summer pool" --from-csv guests.csv --out guests --format pdf,csv --sheet label-63x38
  ticketscan mint --event "Summer pool" --from-csv excel.csv --encoding latin1 --columns lastName=Name --language de --out gaeste --format pdf
  ticketscan mint --event "Summer pool" --from-csv shop.csv --type-map VIP=permanent --keep-columns Order,E-mail --out shop --format csv,pdf --excel
  ticketscan mint --event "Summer pool" --type permanent --valid-until 2027-06-30 --out cards --format png,json

Without --out and --terminal the codes are printed, one per line.
Lists have the columns ${Object.keys(NEW_TICKET_COLUMNS).join(', ')}; all may be missing.
German headings such as Vorname, Nachname and Gültig bis are known; --columns names others. Dates are 2027-09-30 or 30.09.2027.
Nothing is minted unless every row is valid. See docs/tickets.md.`;

/** The format of the file that an option is for. */
const FOR_FORMAT: Readonly<Record<string, FileFormat>> = {
  ...{ sheet: 'pdf', font: 'pdf', language: 'pdf', logo: 'pdf', line: 'pdf' },
  excel: 'csv',
};

/** @throws TicketscanError `usage` for an option that would change nothing */
function refuseUnused(mint: Command, { format }: MintOptions): void {
  for (const [name, wanted] of Object.entries(FOR_FORMAT)) {
    if (format.includes(wanted) || mint.getOptionValueSource(name) !== 'cli') continue;
    throw new TicketscanError(
      'usage',
      `--${name} is for files in the format ${wanted}: add --format ${wanted} and --out FOLDER.`,
    );
  }
}

/** `ticketscan mint`: signed tickets, in the store and as QR codes. */
export function command(io: CliIo): Command {
  const mint = new Command('mint').description('Create signed tickets and their QR codes.');
  addTicketOptions(mint);
  addOutputOptions(mint);
  mint.addHelpText('after', EXAMPLES).action(async (options: MintOptions) => {
    if (options.sheet === 'list') {
      for (const { name, description } of LAYOUTS) io.out(`${name.padEnd(14)} ${description}`);
      return;
    }
    if (options.out === undefined && mint.getOptionValueSource('format') === 'cli')
      throw new TicketscanError('usage', '--format writes files: add --out FOLDER.');
    refuseUnused(mint, options);
    if (options.resume && options.out === undefined) {
      throw new TicketscanError('usage', '--resume needs the folder (--out) of the run.');
    }
    await withNewStore(io, { ...options }, (access) => runMint(io, access, options));
  });
  return addSettings(mint, STORE_SETTINGS);
}
