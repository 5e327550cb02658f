import { type Command, Option } from '@commander-js/extra-typings';
import type { Clock } from '../../../core/clock.ts';
import { parseDateTime } from '../../../core/date-time.ts';
import { TicketscanError } from '../../../core/errors.ts';
import { eventOfTicketId } from '../../../core/ticket-id.ts';
import { DAY_MS, MINUTE_MS } from '../../../kit/durations.ts';
import type { OptionsOf } from '../../../terminal/command.ts';
import { durationFor, forOption, readSecretValue } from '../../../terminal/options.ts';
import type { DataAccess } from '../../data-access.ts';
import { findKey } from '../../keys/rules.ts';
import { givenTicketId } from '../../tickets/commands/find-tickets.ts';
import { zoneOf } from '../../time-zone.ts';
import { type LogConditions, OUTCOMES } from '../operations.ts';

/** The options that say which entries are wanted. */
export function addConditionOptions(command: Command) {
  return command
    .option('--ticket <ticket>', 'only scans of this ticket (id or code)')
    .addOption(
      new Option('--outcome <outcome>', 'only with this outcome or reason').choices(OUTCOMES),
    )
    .addOption(new Option('--denied', 'only denied scans: --outcome denied').conflicts('outcome'))
    .option('--key <key>', 'only with this API key (value, id or name)')
    .option('--event <event>', 'only tickets of this event (id or name)')
    .option('--serial <serial>', 'only from the device with this serial')
    .addOption(
      new Option('--since <duration>', 'only of the last 90s, 15m, 1h or 7d').conflicts('from'),
    )
    .option('--from <time>', 'only from this time on, such as 2026-11-22T08:00')
    .option('--to <time>', 'only up to this time');
}

export type ConditionOptions = OptionsOf<typeof addConditionOptions>;

/** True when nothing narrows the log. */
export function isAnyScan(options: ConditionOptions): boolean {
  const { ticket, outcome, denied, key, event, serial, since, from, to } = options;
  return [ticket, outcome, denied, key, event, serial, since, from, to].every(
    (one) => one === undefined,
  );
}

/** @throws TicketscanError `usage`, `not_found` for a key or event that there is not */
export async function conditionsFrom(
  access: DataAccess,
  options: ConditionOptions,
): Promise<{ readonly conditions: LogConditions; readonly zone: string }> {
  const { io } = access;
  const { ticket, denied, outcome = denied ? 'denied' : undefined, key, event, serial } = options;
  const ticketId = ticket === undefined ? undefined : givenTicketId(ticket, '--ticket', io);
  const keyId = key === undefined ? undefined : await keyIdFrom(access, readSecretValue(key, io));
  const about = event ?? eventOfTicketId(ticketId ?? '');
  const zone = await zoneOf(access, { event: about, keyId });
  const conditions = {
    ...timesFrom(options, access.clock, zone),
    ticket: ticketId,
    outcome,
    key: keyId,
    serial,
    event: event === undefined ? undefined : (await access.findEvent(event)).id,
  };
  return { conditions, zone };
}

/** The server may be another machine. */
const CLOCKS_DIFFER_MS = 5 * MINUTE_MS;
const sinceDuration = durationFor('--since', { to: 36_500 * DAY_MS });
/** Matches a date that somebody gives in place of a duration. */
const DATE = /^\d{4}-\d\d|^\d{1,2}\.\d{1,2}\./;

function sinceFrom(text: string): number {
  if (!DATE.test(text)) return sinceDuration(text);
  throw new TicketscanError(
    'usage',
    `--since takes a duration such as 1h or 7d, and "${text.slice(0, 40)}" is a date: give it to --from.`,
  );
}

/** The times of `--since`, `--from` and `--to`. @throws TicketscanError `usage` */
export function timesFrom(
  { since, from, to, follow }: ConditionOptions & { readonly follow?: boolean },
  clock: Clock,
  zone: string,
): Pick<LogConditions, 'from' | 'until'> {
  const times = {
    ...(since !== undefined && { from: clock.now() - sinceFrom(since) }),
    // Entries with a time in the future, from before a clock was set back, did not happen within that time.
    ...(since !== undefined && !follow && { until: clock.now() + CLOCKS_DIFFER_MS }),
    ...(from !== undefined && {
      from: forOption('--from', () => parseDateTime(from, 'from', zone)),
    }),
    ...(to !== undefined && {
      until: forOption('--to', () => parseDateTime(to, 'until', zone)),
    }),
  };
  if (from === undefined || to === undefined || (times.from ?? 0) <= (times.until ?? 0))
    return times;
  throw new TicketscanError('usage', `--from ${from} is after --to ${to}.`);
}

/** A deleted key has no name any more, but the log still has its id. */
async function keyIdFrom(access: DataAccess, given: string): Promise<string> {
  return /^key_\w+$/.test(given) ? given : (await findKey(access, given)).id;
}
