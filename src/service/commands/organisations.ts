import { Command } from 'commander';
import { timesToJson } from '../../core/codecs/time.ts';
import { DEFAULT_LIMITS, type OrganisationLimits } from '../../core/limits.ts';
import type { Organisation } from '../../core/records.ts';
import { sanitizeForTerminal } from '../../kit/safe-text.ts';
import type { CliIo } from '../../terminal/io.ts';
import { addSettings } from '../../terminal/setting-options.ts';
import { table } from '../../terminal/table.ts';
import { DATA_SETTINGS, withData } from './access/data-access.ts';
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
  readonly json?: boolean;
}

const EXAMPLES = `
Examples:
  ticketscan organisations list
  ticketscan organisations edit --keys-max 10
  ticketscan organisations edit --language de --logo logo.png --line "Einlass ab 9 Uhr"
  ticketscan organisations create --name "Lido AG" --rate 200 --burst 400`;

/** `ticketscan organisations`: who owns events and keys, and what each may ask of the service (section 8). */
export function command(io: CliIo): Command {
  return new Command('organisations')
    .description(
      'Create and list organisations, and change their limits and what their tickets look like.',
    )
    .addHelpText('after', EXAMPLES)
    .addCommand(createCommand(io))
    .addCommand(listCommand(io))
    .addCommand(editCommand(io));
}

/** The options of an organisation's limits, with their defaults. */
export function addLimitOptions(command: Command): Command {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = DEFAULT_LIMITS;
  return command
    .option('--rate <number>', `requests a second per key (default: ${ratePerSecond})`, Number)
    .option('--burst <number>', `requests at once per key (default: ${burst})`, Number)
    .option('--quota <number>', `requests a month per key (default: ${quotaPerMonth})`, Number)
    .option('--keys-max <number>', `API keys (default: ${keysMax})`, Number);
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

function createCommand(io: CliIo): Command {
  const create = new Command('create')
    .description('Create an organisation.')
    .requiredOption('--name <name>', 'the name')
    .option('--json', 'the organisation as JSON')
    .action(async (options: LimitOptions) => {
      await withData(io, { ...options }, async ({ administration }) => {
        const limits = { ...DEFAULT_LIMITS, ...limitsFrom(options) };
        show(io, await administration.createOrganisation(options.name ?? '', limits), options);
      });
    });
  return addSettings(addLimitOptions(create), DATA_SETTINGS);
}

function editCommand(io: CliIo): Command {
  const edit = new Command('edit')
    .description(
      'Change the limits of an organisation, or what is printed on its tickets. Limits are changed on the store; every running server applies them from the next request on.',
    )
    .argument('[organisation]', 'id or name; not needed if only one exists')
    .option('--json', 'the organisation as JSON')
    .action(async (name: string | undefined, options: LimitOptions & SheetSettingOptions) => {
      await withData(io, { ...options }, (access) => editOrganisation(io, access, name, options));
    });
  return addSettings(addSheetSettingOptions(addLimitOptions(edit)), DATA_SETTINGS);
}

async function editOrganisation(
  io: CliIo,
  { administration, sheets }: DataAccess,
  name: string | undefined,
  options: LimitOptions & SheetSettingOptions,
): Promise<void> {
  const changes = await sheetChangesFrom(options);
  const limits = limitsFrom(options);
  const hasSheets = Object.keys(changes).length > 0;
  // Limits cannot be changed at a server, sheets can.
  const organisation =
    hasSheets && Object.keys(limits).length === 0
      ? await administration.findOrganisation(name)
      : await administration.editLimits(name, limits);
  if (!hasSheets) return show(io, organisation, options);
  const { language, lines, logo } = await sheets.edit(organisation.id, changes);
  const shownSheets = { language, lines, logo: logo !== null };
  if (options.json) {
    io.out(JSON.stringify({ ...shown(organisation), sheets: shownSheets }, null, 2));
    return;
  }
  show(io, organisation, options);
  io.out(`Tickets: language ${language ?? 'en'}, ${logo === null ? 'no logo' : 'with the logo'}`);
  for (const line of lines) io.out(sanitizeForTerminal(`  ${line}`));
}

function listCommand(io: CliIo): Command {
  const list = new Command('list')
    .description('List all organisations with their limits.')
    .option('--json', 'a JSON array')
    .action(async (options: LimitOptions) => {
      await withData(io, { ...options }, async ({ store }) => {
        const all = await store.listOrganisations();
        if (options.json) {
          io.out(JSON.stringify(all.map(shown), null, 2));
          return;
        }
        if (all.length === 0)
          io.err('No organisations yet. The first event creates one: ticketscan events create');
        for (const line of table(HEADS, all.map(cells))) io.out(line);
      });
    });
  return addSettings(list, DATA_SETTINGS);
}

const HEADS = ['ID', 'NAME', 'REQUESTS/S', 'BURST', 'REQUESTS/MONTH', 'KEYS'];

function cells({ id, name, limits }: Organisation): string[] {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  return [id, name, ...[ratePerSecond, burst, quotaPerMonth, keysMax].map(String)];
}

function shown(organisation: Organisation): Record<string, unknown> {
  return timesToJson(organisation);
}

function show(io: CliIo, organisation: Organisation, { json }: LimitOptions): void {
  if (json) io.out(JSON.stringify(shown(organisation), null, 2));
  else for (const line of table(HEADS, [cells(organisation)])) io.out(sanitizeForTerminal(line));
}
