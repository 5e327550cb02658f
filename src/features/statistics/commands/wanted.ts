import type { Command } from '@commander-js/extra-typings';
import { TicketscanError } from '../../../core/errors.ts';
import type { Organisation } from '../../../core/records.ts';
import type { DataAccess } from '../../data-access.ts';
import { getOrganisation } from '../../organisations/operations.ts';

/** Whose scans a command counts, by which clocks, and the form of a table for a spreadsheet. */
export function addCountedOptions(command: Command) {
  return command
    .option(
      '--organisation <name>',
      'organisation whose scans are counted; not needed if only one exists',
    )
    .option(
      '--time-zone <name>',
      'time zone of the days and hours (default: that of the organisation, else of this machine)',
    )
    .option('--csv', 'comma-separated values')
    .option(
      '--excel',
      "CSV for a spreadsheet: semicolons, a byte-order mark, the organisation's language",
    );
}

const FORMS = ['csv', 'excel', 'json'] as const;

/** @throws TicketscanError `usage` if more than one form of the output is wanted */
export function checkForm(
  options: Partial<Readonly<Record<(typeof FORMS)[number], true | boolean>>>,
): void {
  const forms = FORMS.filter((name) => options[name]);
  if (forms.length <= 1) return;
  const all = forms.map((name) => `--${name}`).join(' and ');
  throw new TicketscanError('usage', `${all} cannot be combined: give one of them.`);
}

interface Wanted {
  readonly event?: string | undefined;
  readonly organisation?: string | undefined;
}

/** Names the option of a wrong day; the admin API calls them `from` and `to`. */
export function namingOption(error: unknown): never {
  if (!(error instanceof TicketscanError) || error.reason !== 'day_invalid') throw error;
  throw new TicketscanError('usage', `--${error.message}`, { cause: error });
}

/** Finds the organisation and the event whose scans are counted. An event determines its organisation. */
export async function wantedFrom(
  access: DataAccess,
  { event: idOrName, organisation }: Wanted,
): Promise<{ readonly owner: Organisation; readonly event: string | undefined }> {
  const event = idOrName === undefined ? undefined : await access.findEvent(idOrName);
  const call = await access.callFor(event?.organisationId ?? organisation);
  const owner = await call(getOrganisation, {});
  return { owner, event: event?.id };
}
