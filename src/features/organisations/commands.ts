import { type Command, Option } from '@commander-js/extra-typings';
import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import {
  DEFAULT_LIMITS,
  EVENTS_PER_ORGANISATION_MAX,
  type OrganisationLimits,
} from '../../core/limits.ts';
import {
  type Organisation,
  type OrganisationEdit,
  OrganisationJson,
  SHEET_LANGUAGES,
} from '../../core/records.ts';
import { checkTimeZone, chosenZone } from '../../core/time-zone.ts';
import { defined } from '../../kit/defined.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { AnswerOf } from '../../operations/operation.ts';
import {
  type CommonOptions,
  commandGroup,
  type OptionsOf,
  withOptions,
} from '../../terminal/command.ts';
import type { CliIo } from '../../terminal/io.ts';
import { collected, positiveNumberFor, wholeNumberFor } from '../../terminal/options.ts';
import { confirm } from '../../terminal/prompts.ts';
import { showRecords, showResult, table, terminalColumns } from '../../terminal/results.ts';
import { readLogoFile } from '../../tickets/sheets/logo.ts';
import { administrationOn } from '../administration.ts';
import type { DataAccess, OpenStore } from '../data-access.ts';
import { dataCommand } from '../data-command.ts';
import { contentText, goOn } from '../events/commands.ts';
import { finishDeletions } from '../events/deletions.ts';
import { showEventDeletion } from '../events/operations.ts';
import { checkInsideFrom, NEVER_ANEW } from './inside-from.ts';
import { editOrganisation, getOrganisation, getSheetSettings } from './operations.ts';

const EXAMPLES = `
Examples:
  ticketscan organisations list
  ticketscan organisations edit --keys-max 10
  ticketscan organisations edit "Lido AG" --name "Lido GmbH"
  ticketscan organisations edit --time-zone Europe/Berlin
  ticketscan organisations edit --inside-from 05:30
  ticketscan organisations edit --language de --logo logo.png --line "Einlass ab 9 Uhr"
  ticketscan organisations create --name "Lido AG" --rate 200 --burst 400`;

const ORGANISATION_AS_JSON = 'the organisation as JSON';

/** `ticketscan organisations`: who owns events and keys, and what each may ask of the service (section 8). */
export function command(io: CliIo) {
  return commandGroup(io, 'organisations', {
    summary:
      'Create, list and delete organisations, and change their names, limits, their time zone and what their tickets look like.',
    help: EXAMPLES,
    commands: [createCommand, listCommand, editCommand, deleteCommand],
  });
}

const createCommand = dataCommand({
  name: 'create',
  summary: 'Create an organisation.',
  options: (command) =>
    withOptions(command.requiredOption('--name <name>', 'the name'), (one) =>
      addTermOptions(one, true),
    ),
  json: ORGANISATION_AS_JSON,
  mayMakeStore: true,
  run: async (access, options) => {
    const administration = administrationOn(onStore(access, 'created'));
    const limits = { ...DEFAULT_LIMITS, ...limitsFrom(options) };
    const timeZone = timeZoneFrom(options) ?? undefined;
    const made = await administration.organisations.create(options.name, limits, { timeZone });
    show(access.io, made, options);
  },
});

/** @throws TicketscanError `usage` at a server */
function onStore({ local }: DataAccess, done: 'created' | 'deleted'): OpenStore {
  if (local) return local;
  throw new TicketscanError(
    'usage',
    `Organisations can be ${done} only on the store: an account belongs to one organisation. Use --store.`,
  );
}

const listCommand = dataCommand({
  name: 'list',
  summary: 'List all organisations with their limits and the daily reset of people inside.',
  json: 'a JSON array',
  run: async (access, options) => {
    const organisations: ReturnType<typeof jsonWithReset>[] = [];
    for (const organisation of await access.list('organisation')) {
      const call = await access.callFor(organisation.id);
      organisations.push(jsonWithReset(organisation, await call(getOrganisation, {})));
    }
    showRecords(access.io, options, organisations, {
      empty: 'No organisations yet. The first event creates one: ticketscan events create',
      heads: [...HEADS, 'INSIDE RESET'],
      row: (one) => [...cells(one), one.insideFrom],
    });
  },
});

const editCommand = dataCommand({
  name: 'edit',
  summary:
    'Change the name of an organisation, its limits (on the store only), its time zone, the daily reset of people inside, or what is printed on its tickets. Every running server applies them from the next request on.',
  argument: ['[organisation]', 'id or name; not needed if only one exists'],
  options: (command) =>
    withOptions(
      command
        .option('--name <name>', 'the new name')
        .option(...EVENTS_MAX)
        .option(
          '--inside-from <time>',
          'time of the daily reset of people inside: a quarter of an hour such as 04:00, or never',
          checkInsideFrom,
        ),
      (one) => withOptions(addTermOptions(one, false), addSheetOptions),
    ),
  json: ORGANISATION_AS_JSON,
  run: async (access, options, given) => {
    const { io } = access;
    const sheets = sheetChangesFrom(options);
    const timeZone = timeZoneFrom(options);
    const limits = limitsFrom(options);
    const changedLimits = Object.keys(limits).length > 0 ? limits : undefined;
    const { name, eventsMax, insideFrom } = options;
    const changes = defined({
      name,
      timeZone,
      limits: changedLimits,
      eventsMax,
      insideFrom,
      sheets,
    });
    const organisation = await edited(access, given, changes);
    const call = await access.callFor(organisation.id);
    const printed = sheets && (await call(getSheetSettings, {}));
    const reset = await call(getOrganisation, {});
    const value = { ...jsonWithReset(organisation, reset), ...defined({ sheets: printed }) };
    showResult(io, options, value, [
      ...linesOf(io, organisation),
      insideText(reset.insideFrom),
      ...(printed ? sheetLines(printed) : []),
    ]);
  },
});

function insideText(from: string): string {
  return from === NEVER_ANEW
    ? 'People inside have no daily reset: use "ticketscan events reset-inside".'
    : `People inside are reset each day at ${from}.`;
}

function sheetLines({ language, lines, logo }: AnswerOf<typeof getSheetSettings>): string[] {
  return [
    `Tickets: language ${language ?? 'en'}, ${logo ? 'with the logo' : 'no logo'}`,
    ...lines.map((line) => sanitizeForTerminal(`  ${line}`)),
  ];
}

interface Changes
  extends Pick<OrganisationEdit, 'name' | 'timeZone' | 'limits' | 'eventsMax' | 'insideFrom'> {
  readonly sheets?: NonNullable<ReturnType<typeof sheetChangesFrom>>;
}

/** All of the changes are made, or none. @throws TicketscanError `usage` for limits that only the operator changes */
async function edited(
  { local, callFor }: DataAccess,
  given: string | undefined,
  changes: Changes,
): Promise<Organisation> {
  const isChange = Object.keys(changes).length > 0;
  if (local) {
    const administration = administrationOn(local);
    return isChange
      ? administration.organisations.edit(given, changes)
      : administration.organisations.find(given);
  }
  const { limits = {}, eventsMax, ...others } = changes;
  const { keysMax, ...operatorsLimits } = limits;
  if (Object.keys(operatorsLimits).length > 0 || eventsMax !== undefined) {
    throw new TicketscanError(
      'usage',
      'Limits can be changed only on the store, by the operator of the service. Use --store.',
    );
  }
  const call = await callFor(given);
  return isChange
    ? call(editOrganisation, { ...others, ...(keysMax !== undefined && { keysMax }) })
    : call(getOrganisation, {});
}

const deleteCommand = dataCommand({
  name: 'delete',
  summary: 'Delete an organisation: an empty one, or one with everything that belongs to it.',
  argument: ['<organisation>', 'id or name'],
  options: (command) =>
    command
      .option(
        '--with-accounts',
        'delete its accounts too; an owner must remain in another organisation',
      )
      .option(
        '--with-tickets',
        'also delete its events, tickets, log entries, keys and accounts; export them first',
      ),
  yes: 'delete it without a question; needed where no terminal can ask',
  json: ORGANISATION_AS_JSON,
  run: async (access, options, given) => {
    if (options.withTickets && (await goOn(access, 'organisation', given, options))) return;
    await deleteNamed(access, given, options);
  },
});

async function deleteNamed(
  access: DataAccess,
  given: string,
  options: CommonOptions & { readonly withAccounts?: true; readonly withTickets?: true },
): Promise<void> {
  const { io } = access;
  const local = onStore(access, 'deleted');
  const administration = administrationOn(local);
  const organisation = await administration.organisations.find(given);
  const { name } = organisation;
  const accounts = await administration.organisations.accountsOf(organisation);
  const named = accounts.map((account) => `${account.name} (${account.role})`).join(', ');
  if (accounts.length > 0 && !options.withAccounts && !options.withTickets) {
    throw new TicketscanError(
      'conflict',
      `The organisation "${name}" still has ${counted(accounts.length, 'account')}: ${named}. Add --with-accounts to delete them with it.`,
    );
  }
  const also = accounts.length > 0 ? `, with ${counted(accounts.length, 'account')}: ${named}` : '';
  const content = options.withTickets ? await contentOf(access, organisation) : '';
  const consequence = sanitizeForTerminal(
    `The organisation "${name}" is deleted permanently${also}${content}.`,
  );
  if (!(await confirm(io, { ...options, consequence, needsYes: true }))) return;
  if (options.withTickets) {
    await administration.organisations.deleteWithTickets(organisation);
    await finishDeletions(local.store, local.clock);
  } else {
    await administration.organisations.delete(organisation, options.withAccounts);
  }
  const line = sanitizeForTerminal(`Organisation "${name}" is deleted${also}.`);
  showResult(io, options, json(organisation), line);
}

/** The content of all events of the organisation, and its keys. */
async function contentOf(access: DataAccess, organisation: Organisation): Promise<string> {
  const events = (await access.list('event')).filter(
    (one) => one.organisationId === organisation.id,
  );
  const all: AnswerOf<typeof showEventDeletion>[] = [];
  for (const { id } of events) all.push(await access.call(showEventDeletion, { id }));
  const sum = (of: 'tickets' | 'valid') => all.reduce((before, facts) => before + facts[of], 0);
  const times = all.map(({ lastScanAt }) => lastScanAt ?? 0);
  const lastScanAt = Math.max(0, ...times) || null;
  const facts = { tickets: sum('tickets'), valid: sum('valid'), lastScanAt };
  const content = contentText(facts, chosenZone(undefined, organisation));
  return `${content}, ${counted(events.length, 'event')} and every API key`;
}

const HEADS = ['ID', 'NAME', 'REQUESTS/S', 'BURST', 'REQUESTS/MONTH', 'KEYS', 'TIME ZONE'];

function cells({ id, name, limits, timeZone = '-' }: Omit<Organisation, 'createdAt'>): string[] {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  return [id, name, ...[ratePerSecond, burst, quotaPerMonth, keysMax].map(String), timeZone];
}

function show(io: CliIo, organisation: Organisation, options: CommonOptions): void {
  showResult(io, options, json(organisation), linesOf(io, organisation));
}

function linesOf(io: CliIo, organisation: Organisation): string[] {
  return table(HEADS, [cells(organisation)], terminalColumns(io));
}

function json(organisation: Organisation): z.input<typeof OrganisationJson> {
  return z.encode(OrganisationJson, organisation);
}

/** An organisation with the time of the daily reset of people inside, which its record does not have. */
function jsonWithReset(
  organisation: Organisation,
  { insideFrom }: Pick<AnswerOf<typeof getOrganisation>, 'insideFrom'>,
) {
  return { ...json(organisation), insideFrom };
}

/** The options of an organisation's limits and time zone; with their defaults, unless it keeps what is not given. */
export function addTermOptions(command: Command, isNew: boolean) {
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
    .option('--keys-max <number>', `API keys${usual(keysMax)}`, wholeNumberFor('--keys-max'))
    .option(
      '--time-zone <name>',
      'time zone of its gates, such as Europe/Berlin, for times in messages to people; none: that of the server, and UTC for scans by accounts',
    );
}

/** `--events-max`, which only the operator of the service has: `command.option(...EVENTS_MAX)`. */
export const EVENTS_MAX = [
  '--events-max <number>',
  `events that are not archived (without it: ${EVENTS_PER_ORGANISATION_MAX})`,
  wholeNumberFor('--events-max', 1, 1_000_000),
] as const;

/** The limits that were given. */
export function limitsFrom({
  rate: ratePerSecond,
  burst,
  quota: quotaPerMonth,
  keysMax,
}: Partial<OptionsOf<typeof addTermOptions>>): Partial<OrganisationLimits> {
  return defined({ ratePerSecond, burst, quotaPerMonth, keysMax });
}

/** @returns null for none, undefined where the option is missing @throws TicketscanError `usage` */
export function timeZoneFrom({
  timeZone,
}: {
  readonly timeZone?: string;
}): string | null | undefined {
  if (timeZone === 'none') return null;
  return timeZone === undefined ? undefined : checkTimeZone(timeZone);
}

/** The options for what is printed on tickets. */
export function addSheetOptions(command: Command) {
  return command
    .addOption(
      new Option('--language <code>', 'language of printed tickets').choices(SHEET_LANGUAGES),
    )
    .option('--logo <file>', 'a PNG to print on tickets, or "none" to remove it')
    .option(
      '--line <text>',
      'a line of your own text on each ticket; repeat it for more, "" removes all',
      collected,
    );
}

/** The settings that were given; undefined where none was. @throws TicketscanError `usage` for a logo that cannot be printed */
export function sheetChangesFrom({ language, logo, line }: OptionsOf<typeof addSheetOptions>) {
  if (language === undefined && logo === undefined && line === undefined) return undefined;
  const png = logo === undefined || logo === 'none' ? undefined : readLogoFile(logo);
  return {
    ...(language && { language }),
    ...(line && { lines: [...line] }),
    ...(logo !== undefined && { logo: png?.toString('base64') ?? null }),
  };
}
