import { refuse, TicketscanError } from '../core/errors.ts';
import { recordsNamed, sameNameAs } from '../core/folded-text.ts';
import { OPEN_SECONDS_MAX, type OrganisationLimits } from '../core/limits.ts';
import { didYouMean } from '../kit/nearest.ts';
import { BASE36, type RandomBytes, randomText } from '../kit/random.ts';
import { taken } from '../stores/store-errors.ts';

const RECORD_ID_CHARACTERS = 10;

/** A new id of a record, such as `key_4f0q9c1x2b`. */
export function makeRecordId(prefix: 'org' | 'key' | 'site', random: RandomBytes): string {
  return `${prefix}_${randomText(BASE36, RECORD_ID_CHARACTERS, random)}`;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/**
 * The record with that id or unique name: letter for letter, or as a person writes it (`isSameName`).
 * @throws TicketscanError `not_found`, `usage` when several have the name
 */
export function findNamed<Record extends Named>(
  what: string,
  nameOrId: string,
  all: readonly Record[],
): Record {
  const byId = all.find(({ id }) => id === nameOrId);
  if (byId) return byId;
  const [only, ...others] = recordsNamed(nameOrId, all);
  if (!only) throw unknownNamed(what, nameOrId, all);
  if (others.length === 0) return only;
  throw new TicketscanError(
    'usage',
    `More than one ${what} is named "${nameOrId}"; use an id.${listed([only, ...others])}`,
  );
}

/**
 * The store refuses a name that another record has letter for letter; people cannot tell apart more than those.
 * @param others records that must have other names; the record itself may be among them
 * @throws TicketscanError `conflict`
 */
export function refuseSameName(what: string, { id, name }: Named, others: readonly Named[]): void {
  const isSame = sameNameAs(name);
  const same = others.find((other) => other.id !== id && isSame(other.name));
  if (same) throw taken(`${/^[aeiou]/.test(what) ? 'An' : 'A'} ${what} named "${same.name}"`);
}

/** Ids of events that are given by ids or names, separated by commas. @throws TicketscanError `not_found`, `usage` */
export function eventIdsFrom(text: string, known: readonly Named[]): 'all' | string[] {
  if (text === 'all') return 'all';
  const named = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (named.length === 0) throw new TicketscanError('usage', 'Name at least one event, or "all".');
  return [...new Set(named.map((event) => findNamed('event', event, known).id))];
}

/** The error for a name or id that no record has: with the nearest one, and those that exist. */
export function unknownNamed(
  what: string,
  nameOrId: string,
  all: readonly Named[],
): TicketscanError {
  const known = all.flatMap(({ id, name }) => [name, id]);
  const meant = didYouMean(nameOrId, known);
  const none = `None exist yet. ${FIRST_OF[what] ?? 'Check the name'}.`;
  const others = all.length === 0 ? ` ${none}` : listed(all);
  return new TicketscanError('not_found', `Unknown ${what} "${nameOrId}".${meant}${others}`);
}

/** The command that makes the first record of a kind. */
const FIRST_OF: Readonly<Record<string, string>> = {
  event: 'Create one: ticketscan events create --name NAME',
  key: 'Create one: ticketscan keys create --name NAME --type hardware',
  account: 'Create one: ticketscan accounts create --name NAME --role owner',
  organisation: 'Create one: ticketscan organisations create --name NAME',
  webhook: 'Create one: ticketscan webhooks create --name NAME --endpoint URL',
  'access token': 'Create one on the page, under Settings',
};

const ATTEMPTS_MAX = 20;

/** Repeats `work` if somebody changed what it had read, so that simultaneous changes of different members are all made. */
export async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isChanged = error instanceof TicketscanError && error.reason === 'changed_meanwhile';
      if (!isChanged || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

const LISTED_MAX = 10;

/** Suffix for error messages: lists the existing records. */
export function listed(all: readonly Named[]): string {
  if (all.length === 0) return ' None exist yet.';
  const some = all.slice(0, LISTED_MAX).map(({ id, name }) => `\n  ${id}  ${name}`);
  const rest = all.length > LISTED_MAX ? `\n  … and ${all.length - LISTED_MAX} more` : '';
  return ` Choose from:${some.join('')}${rest}`;
}

/** @throws TicketscanError `usage` */
export function checkedOpenSeconds(seconds: number): number {
  if (Number.isInteger(seconds) && seconds >= 1 && seconds <= OPEN_SECONDS_MAX) return seconds;
  throw refuse('open_seconds', { max: OPEN_SECONDS_MAX });
}

/** @throws TicketscanError `usage` */
export function checkLimits(limits: OrganisationLimits): void {
  const { ratePerSecond, burst, quotaPerMonth, keysMax } = limits;
  const whole = [burst, quotaPerMonth, keysMax].every(
    (limit) => Number.isSafeInteger(limit) && limit >= 1,
  );
  if (!whole || !Number.isFinite(ratePerSecond) || ratePerSecond <= 0) {
    throw new TicketscanError(
      'usage',
      'Rate, burst, quota and keys-max must be above 0, and whole numbers except the rate.',
    );
  }
}
