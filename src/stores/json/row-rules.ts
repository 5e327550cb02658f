import { checkKeptName } from '../../core/checked-name.ts';
import { GIVEN_YEARS, isAhead, isGivenTime } from '../../core/clock.ts';
import { TicketscanError } from '../../core/errors.ts';
import { KEY_CHOICE_NAMES, KEY_CHOICES } from '../../core/key-settings.ts';
import { OPEN_SECONDS_MAX } from '../../core/limits.ts';
import { checkWindow, holderFrom, kindOf, type Ticket, usesAllowedFor } from '../../core/ticket.ts';
import { fieldsOf, keptFieldsFrom } from '../../core/ticket-field-values.ts';
import type { StoredKey } from '../transfer/records.ts';
import type { List } from './document.ts';

/** What has happened: it is not to come, as far as clocks agree. */
const PAST: ReadonlySet<string> = new Set([
  'createdAt',
  'archivedAt',
  'cancelledAt',
  'lastConsumedAt',
]);

interface RowRule {
  readonly member: string;
  /** @throws TicketscanError `usage` for what no record can be */
  readonly check: () => unknown;
}

const TIMES = [
  'createdAt',
  'archivedAt',
  'expiresAt',
  'previousUntil',
  'cancelledAt',
  'lastConsumedAt',
] as const;

/**
 * Why a row that a person wrote cannot be: by the same rules as everywhere else. Only such rows are asked: what a program stored must
 * never keep its store from opening.
 */
export function rowIssue(
  list: List,
  record: unknown,
): { readonly member: string; readonly why: string } | undefined {
  for (const { member, check } of rulesOf(list, record)) {
    try {
      check();
    } catch (error) {
      if (!(error instanceof TicketscanError)) throw error;
      return { member, why: error.message };
    }
  }
  return undefined;
}

function rulesOf(list: List, record: unknown): RowRule[] {
  if (list === 'administrative') return [];
  if (list === 'tickets') return ticketRules(record as Ticket);
  const named = (list === 'keys' ? (record as StoredKey).record : record) as { name: string };
  return [
    { member: 'name', check: () => checkKeptName(named.name) },
    ...(list === 'keys' ? keyRules(record as StoredKey) : []),
    ...timeRules(named),
  ];
}

function keyRules(key: StoredKey): RowRule[] {
  const { type, openSeconds } = key.record;
  return [
    // With any other text nobody could use the key.
    ...(['hash', 'previousHash'] as const).map((member) => ({
      member,
      check: () =>
        refuseUnless(
          /^[0-9a-f]{64}$/.test(key[member] ?? '0'.repeat(64)),
          'A SHA-256 has 64 hexadecimal digits (0-9, a-f).',
        ),
    })),
    {
      member: 'openSeconds',
      check: () =>
        refuseUnless(
          openSeconds <= OPEN_SECONDS_MAX,
          `A door opens for 1 to ${OPEN_SECONDS_MAX} seconds.`,
        ),
    },
    ...KEY_CHOICE_NAMES.map((member) => ({
      member,
      check: () =>
        refuseUnless(
          type === 'hardware' || key.record[member] === undefined,
          KEY_CHOICES[member].onlyHardware,
        ),
    })),
  ];
}

function refuseUnless(isRight: boolean, why: string): void {
  if (!isRight) throw new TicketscanError('usage', why);
}

function ticketRules(ticket: Ticket): RowRule[] {
  const { holder, usesAllowed, validUntil } = ticket;
  return [
    { member: 'usesAllowed', check: () => usesAllowedFor(kindOf(ticket), usesAllowed) },
    { member: 'holder', check: () => holderFrom(holder?.firstName, holder?.lastName) },
    {
      member: validUntil === null ? 'validFrom' : 'validUntil',
      check: () => checkWindow(ticket),
    },
    ...Object.entries(fieldsOf(ticket)).map(([member, value]) => ({
      member,
      check: () => checkKept(member, value),
    })),
    ...timeRules(ticket),
  ];
}

/** A text that would be kept as another one could not be found. */
function checkKept(member: string, value: unknown): void {
  const kept = Object.values(keptFieldsFrom({ [member]: value }))[0];
  if (typeof value === 'string' && kept !== value)
    throw new TicketscanError(
      'usage',
      `It has blanks at an end, or characters that nobody sees. Write ${JSON.stringify(kept ?? '')}.`,
    );
}

function timeRules(record: object): RowRule[] {
  const given = record as { readonly [Name in (typeof TIMES)[number]]?: number | null };
  return TIMES.map((member) => ({
    member,
    check() {
      const time = given[member];
      if (typeof time !== 'number') return;
      refuseUnless(isGivenTime(time), GIVEN_YEARS);
      refuseUnless(!PAST.has(member) || !isAhead(time, Date.now()), 'It is later than now.');
    },
  }));
}
