import { type Command, Option } from '@commander-js/extra-typings';
import {
  DEFAULT_LIMITS,
  EVENTS_PER_ORGANISATION_MAX,
  type OrganisationLimits,
} from '../../core/limits.ts';
import { SHEET_LANGUAGES } from '../../core/records.ts';
import { checkTimeZone } from '../../core/time-zone.ts';
import { defined } from '../../kit/defined.ts';
import type { OptionsOf } from '../../terminal/command.ts';
import { collected, positiveNumberFor, wholeNumberFor } from '../../terminal/options.ts';
import { readLogoFile } from '../../tickets/sheets/logo.ts';

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
