import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Command } from '@commander-js/extra-typings';
import { TicketscanError } from '../../../core/errors.ts';
import type { EventRecord } from '../../../core/records.ts';
import { hasEnded } from '../../../core/ticket.ts';
import { verifyTicketCode } from '../../../core/ticket-code.ts';
import { TICKET_FIELD_NAMES } from '../../../core/ticket-fields.ts';
import { chosenZone } from '../../../core/time-zone.ts';
import { EXCEL_CSV, PLAIN_CSV } from '../../../kit/csv.ts';
import { counted, sanitizeForTerminal } from '../../../kit/text.ts';
import { type CliIo, note } from '../../../terminal/io.ts';
import { addSettings, groupOptions } from '../../../terminal/options.ts';
import { Progress } from '../../../terminal/progress.ts';
import { confirm } from '../../../terminal/prompts.ts';
import { TERMS_OPTION_NAMES, termsOption } from '../../../terminal/ticket-field-options.ts';
import { checkedScale, renderQr } from '../../../tickets/codes/render-qr.ts';
import { encodeQr } from '../../../tickets/codes/symbol.ts';
import { makeFolder } from '../../../tickets/files.ts';
import { NEW_TICKET_COLUMNS } from '../../../tickets/lists/ticket-list.ts';
import { type CodesCsv, writeCodesJson, writePieces } from '../../../tickets/lists/write-lists.ts';
import type { FilePlan, FileSummary, FileWatcher } from '../../../tickets/making/mint-files.ts';
import { refuseExistingLists, writeFiles } from '../../../tickets/making/mint-files.ts';
import { beginRun, endRun, planDigest } from '../../../tickets/making/run-journal.ts';
import type { TicketRun, TicketSink } from '../../../tickets/making/ticket-run.ts';
import {
  batchOf,
  madeCount,
  onlyMade,
  printedTicket,
  printedTickets,
  SEED_BYTES,
  storeTickets,
} from '../../../tickets/making/ticket-run.ts';
import { LAYOUTS } from '../../../tickets/sheets/layouts.ts';
import type { SheetContent } from '../../../tickets/sheets/printed-ticket.ts';
import { COMMAND_LINE } from '../../actor.ts';
import { administrationOn } from '../../administration.ts';
import { type OpenStore, withStore } from '../../data-access.ts';
import { SheetAdministration } from '../../organisations/sheet-settings.ts';
import { sheetWords } from '../../sheet-words.ts';
import { STORE_SETTINGS } from '../../store/opening.ts';
import { mayHaveEnded, reportNotes, reportSkipped } from '../../tickets/commands/list-options.ts';
import { isUnique } from '../../tickets/commands/new-ticket-list.ts';
import { TicketAdministration } from '../../tickets/rules.ts';
import type { GivenMintOptions, MintOptions } from './mint-options.ts';
import { addOutputOptions, addTicketOptions, refuseUnused, sheetFor } from './mint-options.ts';
import { isNewMade, type TicketSpecs, ticketSpecs } from './ticket-specs.ts';

const EXAMPLES = `
Examples:
  ticketscan mint --event "Summer pool" --type single --count 3 --out tickets
  ticketscan mint --event "Summer pool" --type multi --uses 10 --first-name Ada --last-name Lovelace --terminal
  ticketscan mint --event "Summer pool" --from-csv guests.csv --out guests --format pdf,csv --sheet label-63x38
  ticketscan mint --event "Summer pool" --from-csv excel.csv --encoding latin1 --columns lastName=Name --language de --out gaeste --format pdf
  ticketscan mint --event "Summer pool" --from-csv shop.csv --type-map VIP=permanent --keep-columns Order,E-mail --out shop --format csv,pdf --excel
  ticketscan mint --event "Summer pool" --from-csv orders.csv --columns "name=Attendee name" --only Status=paid --quantity Quantity --out orders
  ticketscan mint --event "Summer pool" --from-csv orders.csv --reference Order,Position --unique-reference --out new
  ticketscan mint --event "Summer pool" --from-csv pretix.csv --map pretix --type-map "Day ticket=single" --update --out monday
  ticketscan mint --event "Summer pool" --type permanent --valid-until 2027-06-30 --out cards --format png,json

Without --out and --terminal the codes are printed, one per line.
Lists can have the columns ${Object.keys(NEW_TICKET_COLUMNS).join(', ')}; each may be missing.
Headings such as Vorname, Prénom, Apellidos and Gültig bis are known; --columns names others; name is a whole name. Dates are 2027-09-30 or 30.09.2027.
Nothing is minted unless every row is valid. See ticketscan docs tickets.`;

const OPTION_GROUPS = {
  'First of all': ['--event', '--type', '--count', '--out', '--format'],
  'What the tickets are': [
    ...TERMS_OPTION_NAMES.map(termsOption),
    ...TICKET_FIELD_NAMES.map((name) => `--${name}`),
    '--time-zone',
    '--code-format',
  ],
  'From a list': [
    '--from-csv',
    '--from-json',
    '--columns',
    '--keep-columns',
    '--ignore-columns',
    '--encoding',
    '--event-map',
    '--type-map',
    '--only',
    '--quantity',
    '--unique-reference',
    '--map',
    '--cancelled',
    '--update',
    '--dry-run',
    '--skip-bad',
  ],
  'On paper': ['--sheet', '--language', '--logo', '--line', '--font'],
  Output: [
    '--terminal',
    '--json',
    '--excel',
    '--scale',
    '--verify',
    '--no-verify',
    '--resume',
    '--overwrite',
    '--yes',
  ],
  Store: ['--store', '--keyring', '--config'],
};

/** `ticketscan mint`: signed tickets, in the store and as QR codes. */
export function command(io: CliIo) {
  const mint = new Command('mint').description('Create signed tickets and their QR codes.');
  addTicketOptions(mint);
  addOutputOptions(mint);
  mint.addHelpText('after', EXAMPLES).action(async (given) => {
    const options = given as GivenMintOptions;
    if (options.sheet === 'list') {
      for (const { name, description } of LAYOUTS) io.out(`${name.padEnd(14)} ${description}`);
      return;
    }
    refuseUnused(mint, options);
    await withStore(io, options, ({ local }) => runMint(io, local, options), { mayMake: true });
  });
  return groupOptions(addSettings(mint, STORE_SETTINGS), OPTION_GROUPS);
}

const VERIFIED_BY_DEFAULT = 1000;
/** Starting a thread costs as much as drawing some two hundred images. */
const THREADS_FROM = 200;
const THREADS_MAX = 4;

/** A number above this is more often a mistake than a plan, and needs consent. */
const COUNT_WITHOUT_CONSENT = 100_000;

/** Thrown to end a run between two steps, when the user asks for it. */
class Stopped extends Error {}

/** Mints what the options ask for. @throws TicketscanError with what to do */
export async function runMint(
  io: CliIo,
  access: OpenStore,
  given: GivenMintOptions,
): Promise<void> {
  if (given.event === undefined) {
    throw new TicketscanError(
      'usage',
      'Which event? Add --event. ticketscan events list shows all events.',
    );
  }
  const event = await administrationOn(access).events.find(given.event);
  const owner = await administrationOn(access).organisations.find(event.organisationId);
  const options = { ...given, timeZone: chosenZone(given.timeZone, owner) };
  const specs = await ticketSpecs(options, event);
  reportNotes(io, specs.notes);
  if (!(await isNewMade(io, access, event, specs, options))) return;
  if (!(await isConfirmed(io, specs, access.clock.now(), options))) return;
  const identity = { seed: randomBytes(SEED_BYTES), createdAt: access.clock.now() };
  const run: TicketRun = {
    event: { id: event.id, name: event.name },
    ...specs,
    ...identity,
    keyring: await access.keyring(),
    codeFormat: options.codeFormat,
    references: isUnique(options) ? 'unique' : undefined,
  };
  // What cannot be signed or drawn must be found before anything is stored.
  checkedScale(options.scale);
  encodeQr(printedTicket(run, 0).code);
  reportSkipped(io, specs.skipped);
  if (options.out === undefined) {
    const sink = recordedSink(access, event);
    await storeTickets(run, sink, false, () => undefined);
    const made = await withoutKnown(io, run, sink);
    await printTickets(io, made, options);
    if (madeCount(made) > 0) reportBatch(io, run);
    return;
  }
  await runIntoFolder(io, access, options, options.out, run, specs);
}

async function isConfirmed(
  io: CliIo,
  { count, specAt }: TicketSpecs,
  now: number,
  options: MintOptions,
): Promise<boolean> {
  let ended = 0;
  for (let index = 0; index < count; index += 1) if (hasEnded(specAt(index), now)) ended += 1;
  if (!(await mayHaveEnded(io, { ...options, ended, total: count }))) return false;
  if (count <= COUNT_WITHOUT_CONSENT) return true;
  const consequence = `This mints ${count} valid tickets.`;
  return confirm(io, { ...options, consequence, needsYes: true });
}

async function runIntoFolder(
  io: CliIo,
  access: OpenStore,
  options: MintOptions,
  folder: string,
  planned: TicketRun,
  specs: TicketSpecs,
): Promise<void> {
  const sheet = await sheetFor(options, planned, access);
  makeFolder(folder);
  if (!options.overwrite && !options.resume) refuseExistingLists(folder, options.format);
  const digest = planDigest(planOf(planned, specs, options, sheet));
  const begun = await beginRun(folder, digest, options.resume === true, planned);
  const run: TicketRun = { ...planned, seed: begun.seed, createdAt: begun.createdAt };
  const verify = options.verify ?? run.count <= VERIFIED_BY_DEFAULT;
  const plan: FilePlan = {
    folder,
    formats: options.format,
    scale: options.scale,
    csv: await csvFor(options, planned, access),
    sheet,
    verify,
    threads: threadsFor(run.count, verify),
    resumed: begun.resumed,
  };
  const progress = new Progress(io, access.clock.monotonicMs);
  const watcher = watching(io, progress);
  try {
    watcher.begin('storing', run.count);
    const sink = recordedSink(access, await administrationOn(access).events.find(run.event.id));
    await storeTickets(run, sink, begun.resumed, (count) => watcher.update(count));
    progress.clear();
    const made = await withoutKnown(io, run, sink);
    if (madeCount(made) > 0) {
      if (verify) verifyCodes(made);
      const summary = await writeFiles(made, plan, watcher);
      progress.clear();
      reportRun(io, made, plan, summary, specs.skipped.length);
    }
    await endRun(folder);
    if (options.terminal || options.json) await printTickets(io, made, options);
  } catch (error) {
    progress.clear();
    if (!(error instanceof Stopped)) throw error;
    io.err(
      `Stopped. Run the same command with --resume to continue. ${folder} contains complete files only.`,
    );
    io.exit(130);
  }
}

/** Chooses how tickets.csv is written; for a spreadsheet as the page exports: in the language and the zone of the organisation. */
async function csvFor(
  { excel, language, timeZone }: MintOptions,
  { event }: TicketRun,
  access: OpenStore,
): Promise<CodesCsv> {
  if (!excel) return { dialect: PLAIN_CSV };
  const { organisationId } = await administrationOn(access).events.find(event.id);
  const settings = new SheetAdministration(access.store, access.clock, COMMAND_LINE);
  const own = language ?? (await settings.settingsOf(organisationId)).language ?? 'en';
  return { dialect: EXCEL_CSV, words: sheetWords({ language: own, timeZone }) };
}

/** The run with what the store took of it; says what it left out. */
async function withoutKnown(io: CliIo, run: TicketRun, sink: TicketSink): Promise<TicketRun> {
  if (run.references !== 'unique') return run;
  const made = await onlyMade(run, sink);
  const kept = new Set(made.made);
  const known = new Set<string | undefined>();
  for (let index = 0; index < run.count; index += 1)
    if (!kept.has(index)) known.add(run.specAt(index).reference);
  if (known.size > 0)
    note(
      io,
      `${counted(known.size, 'reference')} known already: nothing was made for ${known.size === 1 ? 'it' : 'them'}.`,
    );
  return made;
}

/** A sink that writes each batch with its audit entry. */
function recordedSink({ store, clock }: OpenStore, event: EventRecord): TicketSink {
  const administration = new TicketAdministration(store, clock, randomBytes, COMMAND_LINE);
  return {
    findTickets: (ids) => store.findTickets(ids),
    insertTickets: (tickets, references) =>
      administration.add(event, tickets, { batch: tickets[0]?.batch }, references),
  };
}

/** The facts that must be the same to resume a run. */
function planOf(
  run: TicketRun,
  specs: TicketSpecs,
  options: MintOptions,
  content: SheetContent | undefined,
): unknown {
  const { event, count, keyring, codeFormat, references } = run;
  const { format, scale, sheet, font, excel = false, timeZone } = options;
  const signer = keyring.find((key) => key.format === codeFormat && key.state === 'active')?.id;
  const printed = content && {
    language: content.language,
    lines: content.lines,
    logo: content.logo?.toString('base64'),
  };
  const files = { scale, format, sheet, font, excel, timeZone, printed };
  return { event: event.id, count, tickets: specs.digest, references, codeFormat, signer, files };
}

function threadsFor(count: number, verify: boolean): number {
  const few = verify ? THREADS_FROM / 10 : THREADS_FROM;
  return count < few ? 0 : Math.min(THREADS_MAX, availableParallelism());
}

/** A code that the keyring does not accept would be refused at the gate. */
function verifyCodes(run: TicketRun): void {
  for (const { code, id } of printedTickets(run)) {
    if (verifyTicketCode(code, run.keyring)?.ticketId !== id) {
      throw new TicketscanError('keyring', `The code of ${id} does not verify.`);
    }
  }
}

function watching(io: CliIo, progress: Progress): FileWatcher {
  const stop = io.stopSignal();
  return {
    begin: (what, total) => progress.begin(what, total),
    update: (count) => {
      if (stop.aborted) throw new Stopped();
      progress.update(count);
    },
  };
}

/** The tickets on stdout: as JSON, as QR codes, or their codes one a line. */
export async function printTickets(
  io: CliIo,
  run: TicketRun,
  options: Pick<MintOptions, 'json' | 'terminal'>,
): Promise<void> {
  if (options.json) {
    await writeCodesJson(io.stdout, printedTickets(run));
    return;
  }
  // Without colours the characters are correct on a light background only.
  const format = io.env['NO_COLOR'] || !io.stdoutIsTty ? 'text' : 'terminal';
  function* lines(): Generator<string> {
    for (const { id, code } of printedTickets(run)) {
      yield options.terminal ? `${id}\n${renderQr(code, { format })}\n` : `${code}\n`;
    }
  }
  await writePieces(io.stdout, lines());
}

const MISSING_SHOWN = 20;

/** Names the batch: by it all tickets of the run are found, cancelled or deleted. */
export function reportBatch(io: CliIo, run: TicketRun): void {
  note(io, `Batch: ${batchOf(run)}`);
}

/** Says what there is now, and sets the exit code when an image does not read back. */
export function reportRun(
  io: CliIo,
  run: TicketRun,
  { folder, formats, verify }: FilePlan,
  { issues, sheet }: FileSummary,
  skippedRows: number,
): void {
  for (const { file, message } of issues) io.err(`${file}: ${message}`);
  const missing = sheet?.missing ?? [];
  if (missing.length > 0) {
    const shown = missing.slice(0, MISSING_SHOWN).map(sanitizeForTerminal).join(' ');
    io.err(
      `No font has ${shown}; the PDF shows a box for each. Name a font that has them: --font FILE`,
    );
  }
  const count = madeCount(run);
  const tickets = count === 1 ? '1 ticket is' : `${count} tickets are`;
  const verified =
    verify && issues.length === 0 && formats.some(isImage)
      ? ', each image read back by two decoders'
      : '';
  const skipped = skippedRows > 0 ? `; ${skippedRows} rows with issues were skipped` : '';
  note(io, `${tickets} in the store, and the files are in ${folder}${verified}${skipped}.`);
  reportBatch(io, run);
  if (issues.length > 0) io.exit(1);
}

function isImage(format: FilePlan['formats'][number]): boolean {
  return format !== 'csv' && format !== 'json';
}
