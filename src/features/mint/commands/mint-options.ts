import { Writable } from 'node:stream';
import { type Command, Option } from '@commander-js/extra-typings';
import { TicketscanError } from '../../../core/errors.ts';
import { MODULE_PIXELS, USES_MULTI_MAX, USES_MULTI_MIN } from '../../../core/limits.ts';
import { SHEET_LANGUAGES } from '../../../core/records.ts';
import { TICKET_KINDS } from '../../../core/ticket.ts';
import { CODE_FORMATS } from '../../../core/ticket-code.ts';
import { didYouMean } from '../../../kit/nearest.ts';
import { type OptionsOf, withOptions } from '../../../terminal/command.ts';
import { collected, suggest, wholeNumberFor } from '../../../terminal/options.ts';
import {
  addFieldOptions,
  TERMS_OPTIONS,
  termsOption,
} from '../../../terminal/ticket-field-options.ts';
import { headingList } from '../../../tickets/lists/named-parts.ts';
import { IMAGE_FORMATS } from '../../../tickets/making/image-files.ts';
import { type FileFormat, LIST_FORMATS } from '../../../tickets/making/mint-files.ts';
import { printedTicket, type TicketRun } from '../../../tickets/making/ticket-run.ts';
import { layoutNamed } from '../../../tickets/sheets/layouts.ts';
import type { SheetContent } from '../../../tickets/sheets/printed-ticket.ts';
import type { SheetOptions } from '../../../tickets/sheets/write-sheet.ts';
import { COMMAND_LINE } from '../../actor.ts';
import { administrationOn } from '../../administration.ts';
import type { OpenStore } from '../../data-access.ts';
import { checkedLines, SheetAdministration } from '../../organisations/sheet-settings.ts';
import { addListOptions, addShopOptions } from '../../tickets/commands/list-options.ts';

const FORMATS: readonly FileFormat[] = [...IMAGE_FORMATS, ...LIST_FORMATS];

/** Adds the options that say what the tickets are. */
export function addTicketOptions(command: Command) {
  const ticket = withOptions(command, addFields)
    .option('--event <event>', 'id or name of the event; required')
    .addOption(
      new Option('--type <type>', 'what kind of ticket').choices(TICKET_KINDS).default('single'),
    )
    .option(
      ...TERMS_OPTIONS.uses,
      wholeNumberFor(termsOption('uses'), USES_MULTI_MIN, USES_MULTI_MAX),
    )
    .option('--count <number>', 'how many tickets (default: 1)', wholeNumberFor('--count'))
    .option(...TERMS_OPTIONS.firstName)
    .option(...TERMS_OPTIONS.lastName)
    .option(...TERMS_OPTIONS.validFrom)
    .option(...TERMS_OPTIONS.validUntil)
    .option(
      '--time-zone <name>',
      'time zone of times without one and of printed times (default: that of the organisation, else of this machine)',
    )
    .option('--from-csv <file>', 'create one ticket for each row of a list')
    .option(
      '--from-json <file>',
      'create one ticket for each item of a JSON array or line of JSON Lines',
    )
    .option('--ignore-columns <names>', 'columns of the list to ignore', headingList, [])
    .option(
      '--keep-columns <names>',
      'columns of the list to pass through to tickets.csv, such as an order number or e-mail; they are stored nowhere else',
      headingList,
      [],
    );
  return withOptions(withOptions(ticket, addListOptions), addShopOptions)
    .option('--skip-bad', 'mint the valid rows of the list and report the others')
    .addOption(
      new Option(
        '--code-format <format>',
        'TS2 can be verified offline with a public key, but is longer',
      )
        .choices(CODE_FORMATS)
        .default('TS1'),
    );
}

function addFields(command: Command) {
  return addFieldOptions(command, (_, name) =>
    name === 'reference'
      ? '; with a list, the column that has it, or several that together have it ("Order,Position")'
      : '',
  );
}

/** Adds the options for the output. */
export function addOutputOptions(command: Command) {
  return command
    .option('--out <folder>', 'write files there')
    .addOption(
      suggest(
        new Option(
          '--format <formats>',
          `files to write, separated by commas: ${FORMATS.join(', ')}`,
        )
          .argParser(formatsFrom)
          .default<FileFormat[]>(['png']),
        FORMATS,
        { isList: true },
      ),
    )
    .option('--sheet <name>', 'paper of the PDF; "list" shows them all', 'a4')
    .option(
      '--font <files>',
      'fonts (TTF, OTF) for characters that the built-in fonts lack',
      listOf,
      [],
    )
    .addOption(
      new Option(
        '--language <code>',
        "language of the PDF (default: the organisation's, else en)",
      ).choices(SHEET_LANGUAGES),
    )
    .option('--logo <file>', 'a PNG for the PDF, or "none" (default: the organisation\'s)')
    .option(
      '--line <text>',
      "a line of your own text on each ticket of the PDF; repeat it for more (default: the organisation's)",
      collected,
    )
    .option(
      '--excel',
      "tickets.csv for a spreadsheet: semicolons, a byte-order mark, ' in front of formulas, the organisation's language and time zone",
    )
    .option(
      '--scale <pixels>',
      'pixels along one side of a module',
      wholeNumberFor('--scale', MODULE_PIXELS.min, MODULE_PIXELS.max),
      MODULE_PIXELS.default,
    )
    .option('--verify', 'read every image back with two decoders (default up to 1,000 tickets)')
    .option('--no-verify', 'do not read images back')
    .option('--resume', 'resume an interrupted run into that folder')
    .option('--overwrite', 'replace existing tickets.csv, tickets.json and tickets.pdf')
    .option('--yes', 'do not ask: mint more than 100,000 tickets, and do what --update shows')
    .option('--terminal', 'show the QR codes in the terminal')
    .option('--json', 'the tickets as a JSON array on stdout');
}

/** The options of `ticketscan mint` as they were given. */
export type GivenMintOptions = OptionsOf<typeof addTicketOptions> &
  OptionsOf<typeof addOutputOptions>;

/** The options with the time zone of times without one and of printed times. */
export type MintOptions = GivenMintOptions & { readonly timeZone: string };

/** The format of the file that an option is for. */
const FOR_FORMAT: Readonly<Record<string, FileFormat>> = {
  sheet: 'pdf',
  font: 'pdf',
  language: 'pdf',
  logo: 'pdf',
  line: 'pdf',
  excel: 'csv',
};

/** @throws TicketscanError `usage` for an option that would change nothing */
export function refuseUnused(mint: Command, { format, out, resume }: GivenMintOptions): void {
  if (out === undefined && mint.getOptionValueSource('format') === 'cli')
    throw new TicketscanError('usage', '--format writes files: add --out FOLDER.');
  for (const [name, wanted] of Object.entries(FOR_FORMAT)) {
    if (format.includes(wanted) || mint.getOptionValueSource(name) !== 'cli') continue;
    throw new TicketscanError(
      'usage',
      `--${name} is for files in the format ${wanted}: add --format ${wanted} and --out FOLDER.`,
    );
  }
  if (resume && out === undefined)
    throw new TicketscanError('usage', '--resume needs the folder (--out) of the run.');
}

/** @throws TicketscanError `usage` */
function formatsFrom(text: string): FileFormat[] {
  return listOf(text).map((name) => {
    const format = FORMATS.find((one) => one === name.toLowerCase());
    if (format) return format;
    throw new TicketscanError(
      'usage',
      `Unknown format "${name}".${didYouMean(name, FORMATS)} Choose from ${FORMATS.join(', ')}.`,
    );
  });
}

/** Texts separated by commas. */
function listOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** The printed content from the options, and for the rest from the settings of the event's organisation. @throws TicketscanError `usage` */
async function contentFrom(
  { language, logo, line, timeZone }: MintOptions,
  run: TicketRun,
  { store, clock }: OpenStore,
): Promise<SheetContent> {
  const { organisationId } = await administrationOn({ store, clock }).events.find(run.event.id);
  const own = await new SheetAdministration(store, clock, COMMAND_LINE).settingsOf(organisationId);
  const ownLogo = own.logo === null ? undefined : Buffer.from(own.logo, 'base64');
  const givenLogo = logo === undefined || logo === 'none' ? undefined : await logoFrom(logo);
  return {
    timeZone,
    language: language ?? own.language ?? 'en',
    lines: line ? checkedLines(line) : own.lines,
    logo: logo === undefined ? ownLogo : givenLogo,
  };
}

/**
 * The sheet of a run; undefined when none is asked for. One ticket is drawn as a test: what does not fit on the paper must
 * be found before anything is stored.
 * @throws TicketscanError `usage`
 */
export async function sheetFor(
  options: MintOptions,
  run: TicketRun,
  access: OpenStore,
): Promise<SheetOptions | undefined> {
  if (!options.format.includes('pdf')) return undefined;
  const content = await contentFrom(options, run, access);
  const [{ loadFonts }, { writeSheet }] = await Promise.all([
    import('../../../tickets/sheets/text.ts'),
    import('../../../tickets/sheets/write-sheet.ts'),
  ]);
  const sheet: SheetOptions = {
    layout: layoutNamed(options.sheet),
    fonts: await loadFonts(options.font),
    ...content,
    title: run.event.name,
  };
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  await writeSheet(nowhere, [printedTicket(run, 0)], sheet);
  return sheet;
}

/** Pictures are seldom needed, and what reads them takes time to load. */
async function logoFrom(file: string): Promise<Buffer> {
  const { readLogoFile } = await import('../../../tickets/sheets/logo.ts');
  return readLogoFile(file);
}
