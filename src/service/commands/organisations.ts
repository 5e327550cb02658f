import { Command } from 'commander';
import * as z from 'zod';
import { OrganisationJson } from '../../core/codecs/records.ts';
import { TicketscanError } from '../../core/errors.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../../core/limits.ts';
import type { EventRecord, Organisation } from '../../core/records.ts';
import { checkTimeZone, chosenZone } from '../../core/time-zone.ts';
import { contentText, goOn } from '../../features/events/commands.ts';
import { showEventDeletion } from '../../features/events/operations.ts';
import { counted } from '../../kit/counted.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import type { AnswerOf, Call } from '../../operations/operation.ts';
import type { CliIo } from '../../terminal/io.ts';
import { positiveNumberFor, wholeNumberFor } from '../../terminal/option-values.ts';
import { confirm } from '../../terminal/prompts.ts';
import { showRecords, showResult } from '../../terminal/results.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { table, terminalColumns } from '../../terminal/table.ts';
import { DATA_SETTINGS, withData, withNewData } from './access/data-access.ts';
import type { DataAccess } from './access/data-types.ts';
import {
  addSheetSettingOptions,
  type SheetSettingOptions,
  sheetChangesFrom,
} from './organisations/sheet-options.ts';

interface LimitOptions {
  readonly name?: string;
  readonly rate?: number;
  readonly burst?: number;
  readonly quota?: number;
  readonly keysMax?: number;
  readonly timeZone?: string;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan organisations list
  ticketscan organisations edit --keys-max 10
  ticketscan organisations edit --time-zone Europe/Berlin
  ticketscan organisations edit --language de --logo logo.png --line "Einlass ab 9 Uhr"
  ticketscan organisations create --name "Lido AG" --rate 200 --burst 400
  ticketscan organisations rename "Lido AG" --name "Lido GmbH"`;

/** `ticketscan organisations`: who owns events and keys, and what each may ask of the service (section 8). */
export function command(io: CliIo): Command {
  return new Command('organisations')
    .description(
      'Create, list, rename and delete organisations, and change their limits, their time zone and what their tickets look like.',
    )
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io))
    .addCommand(renameCommand(io))
    .addCommand(deleteCommand(io));
}

/** The options of an organisation's limits; with their defaults, unless it keeps what is not given. */
export function addLimitOptions(command: Command, isNew = true): Command {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = DEFAULT_LIMITS;
  const usual = (limit: number) => (isNew ? ` (default: ${limit})` : '');
  return command
    .option(
      '--rate <number>',
      `requests a second per key${usual(ratePerSecond)}`,
      positiveNumberFor('--rate'),
    )
    .option(
      '--burst <number>',
      `requests at once per key${usual(burst)}`,
      wholeNumberFor('--burst'),
    )
    .option(
      '--quota <number>',
      `requests a month per key${usual(quotaPerMonth)}`,
      wholeNumberFor('--quota'),
    )
    .option('--keys-max <number>', `API keys${usual(keysMax)}`, wholeNumberFor('--keys-max'));
}

/** The limits that were given. */
export function limitsFrom({
  rate,
  burst,
  quota,
  keysMax,
}: LimitOptions): Partial<OrganisationLimits> {
  return {
    ...(rate !== undefined && { ratePerSecond: rate }),
    ...(burst !== undefined && { burst }),
    ...(quota !== undefined && { quotaPerMonth: quota }),
    ...(keysMax !== undefined && { keysMax }),
  };
}

function addTimeZoneOption(command: Command): Command {
  return command.option(
    '--time-zone <name>',
    'where its gates are, such as Europe/Berlin: messages for people say local times; none: UTC',
  );
}

/** @returns null for none, undefined where the option is missing @throws TicketscanError `usage` */
function timeZoneFrom({ timeZone }: LimitOptions): string | null | undefined {
  if (timeZone === 'none') return null;
  return timeZone === undefined ? undefined : checkTimeZone(timeZone);
}

function createCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create an organisation.')
    .requiredOption('--name <name>', 'the name')
    .option('--json', 'the organisation as JSON')
    .action(async (options: LimitOptions) => {
      await withNewData(io, { ...options }, async ({ administration }) => {
        const limits = { ...DEFAULT_LIMITS, ...limitsFrom(options) };
        const timeZone = timeZoneFrom(options) ?? undefined;
        const { name = '' } = options;
        show(io, await administration.createOrganisation(name, limits, { timeZone }), options);
      });
    });
  return addSettings(addTimeZoneOption(addLimitOptions(create)), DATA_SETTINGS);
}

function editCommand(io: CliIo): Command {
  const edit = new Command('edit')
    .description(
      'Change the name of an organisation, its limits (on the store only), its time zone, or what is printed on its tickets. Every running server applies them from the next request on.',
    )
    .argument('[organisation]', 'id or name; not needed if only one exists')
    .option('--name <name>', 'the new name')
    .option('--json', 'the organisation as JSON')
    .action(async (name: string | undefined, options: LimitOptions & SheetSettingOptions) => {
      await withData(io, { ...options }, (access) => editOrganisation(io, access, name, options));
    });
  return addSettings(
    addSheetSettingOptions(addTimeZoneOption(addLimitOptions(edit, false))),
    DATA_SETTINGS,
  );
}

async function editOrganisation(
  io: CliIo,
  { administration, sheets }: DataAccess,
  name: string | undefined,
  options: LimitOptions & SheetSettingOptions,
): Promise<void> {
  const changes = await sheetChangesFrom(options);
  const timeZone = timeZoneFrom(options);
  const given = limitsFrom(options);
  const hasSheets = Object.keys(changes).length > 0;
  const hasLimits = Object.keys(given).length > 0;
  const isChange = hasSheets || hasLimits || timeZone !== undefined || options.name !== undefined;
  const organisation = isChange
    ? await administration.editOrganisation(name, {
        ...(options.name !== undefined && { name: options.name }),
        ...(timeZone !== undefined && { timeZone }),
        ...(hasLimits && { limits: given }),
        ...(hasSheets && { sheets: changes }),
      })
    : await administration.findOrganisation(name);
  if (!hasSheets) return show(io, organisation, options);
  const { language, lines, logo } = await sheets.settingsOf(organisation.id);
  const value = {
    ...z.encode(OrganisationJson, organisation),
    sheets: { language, lines, logo: logo !== null },
  };
  showResult(io, options, value, [
    ...linesOf(io, organisation),
    `Tickets: language ${language ?? 'en'}, ${logo === null ? 'no logo' : 'with the logo'}`,
    ...lines.map((line) => sanitizeForTerminal(`  ${line}`)),
  ]);
}

function renameCommand(io: CliIo): Command {
  const rename = new Command('rename')
    .description('Rename an organisation; its id stays unchanged.')
    .argument('[organisation]', 'id or name; not needed if only one exists')
    .requiredOption('--name <name>', 'the new name')
    .option('--json', 'the organisation as JSON')
    .action(async (given: string | undefined, options: LimitOptions) => {
      await withData(io, { ...options }, async ({ administration }) => {
        show(
          io,
          await administration.editOrganisation(given, { name: options.name ?? '' }),
          options,
        );
      });
    });
  return addSettings(rename, DATA_SETTINGS);
}

function deleteCommand(io: CliIo): Command {
  const command = new Command('delete')
    .description('Delete an organisation: an empty one, or one with everything that belongs to it.')
    .argument('<organisation>', 'id or name')
    .option('--with-accounts', 'delete its accounts too; somewhere else an owner must stay')
    .option(
      '--with-tickets',
      'with its events, tickets, log entries, keys and accounts; export them first',
    )
    .option('--yes', 'delete it without a question; needed where no terminal can ask')
    .option('--json', 'the organisation as JSON')
    .action(async (given: string, options: DeleteOptions) => {
      await withData(io, { ...options }, async (access) => {
        if (options.withTickets && (await goOn(io, access, 'organisation', given, options))) return;
        await deleteOrganisation(io, access, given, options);
      });
    });
  return addSettings(command, DATA_SETTINGS);
}

interface DeleteOptions extends LimitOptions {
  readonly withAccounts?: boolean;
  readonly withTickets?: boolean;
}

async function deleteOrganisation(
  io: CliIo,
  { administration, store, deletions, call }: DataAccess,
  given: string,
  options: DeleteOptions,
): Promise<void> {
  const organisation = await administration.findOrganisation(given);
  const { name } = organisation;
  const accounts = await administration.accountsOf(organisation);
  const named = accounts.map((account) => `${account.name} (${account.role})`).join(', ');
  if (accounts.length > 0 && !options.withAccounts && !options.withTickets) {
    throw new TicketscanError(
      'conflict',
      `The organisation "${name}" still has ${counted(accounts.length, 'account')}: ${named}. Add --with-accounts to delete them with it.`,
    );
  }
  const also = accounts.length > 0 ? `, with ${counted(accounts.length, 'account')}: ${named}` : '';
  const events = (await store.list('event')).filter(
    (one) => one.organisationId === organisation.id,
  );
  const content = options.withTickets
    ? await contentOf(call, events, chosenZone(undefined, organisation))
    : '';
  const consequence = sanitizeForTerminal(
    `The organisation "${name}" is deleted permanently${also}${content}.`,
  );
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  if (options.withTickets) {
    await administration.deleteOrganisationWithTickets(organisation);
    await deletions.finish();
  } else {
    await administration.deleteOrganisation(organisation, options.withAccounts);
  }
  const line = sanitizeForTerminal(`Organisation "${name}" is deleted${also}.`);
  showResult(io, options, z.encode(OrganisationJson, organisation), line);
}

/** Of all of its events, and its keys. */
async function contentOf(
  call: Call,
  events: readonly EventRecord[],
  zone: string,
): Promise<string> {
  const all: AnswerOf<typeof showEventDeletion>[] = [];
  for (const event of events) all.push(await call(showEventDeletion, { id: event.id }));
  const sum = (of: 'tickets' | 'valid') => all.reduce((before, facts) => before + facts[of], 0);
  const times = all.map(({ lastScanAt }) => lastScanAt ?? 0);
  const lastScanAt = Math.max(0, ...times) || null;
  const content = contentText({ tickets: sum('tickets'), valid: sum('valid'), lastScanAt }, zone);
  return `${content}, ${counted(events.length, 'event')} and every API key`;
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List all organisations with their limits.')
    .option('--json', 'a JSON array')
    .action(async (options: LimitOptions) => {
      await withData(io, { ...options }, async ({ store }) => {
        showRecords(
          io,
          options,
          (await store.list('organisation')).map((one) => z.encode(OrganisationJson, one)),
          {
            empty: 'No organisations yet. The first event creates one: ticketscan events create',
            heads: HEADS,
            row: cells,
          },
        );
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

const HEADS = ['ID', 'NAME', 'REQUESTS/S', 'BURST', 'REQUESTS/MONTH', 'KEYS', 'TIME ZONE'];

function cells({ id, name, limits, timeZone = '-' }: Omit<Organisation, 'createdAt'>): string[] {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  return [id, name, ...[ratePerSecond, burst, quotaPerMonth, keysMax].map(String), timeZone];
}

function show(io: CliIo, organisation: Organisation, options: LimitOptions): void {
  showResult(io, options, z.encode(OrganisationJson, organisation), linesOf(io, organisation));
}

function linesOf(io: CliIo, organisation: Organisation): string[] {
  return table(HEADS, [cells(organisation)], terminalColumns(io));
}
