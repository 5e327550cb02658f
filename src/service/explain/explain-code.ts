import type { Operation } from '../../core/decision.ts';
import type { Keyring } from '../../core/keyring.ts';
import { OPEN_SECONDS_DEFAULT } from '../../core/limits.ts';
import type { ApiKeyRecord, LogEntry } from '../../core/records.ts';
import type { ScanRequest, ScanSubject } from '../../core/scan-batch.ts';
import type { Ticket } from '../../core/ticket.ts';
import { makeTicketCode } from '../../core/ticket-code.ts';
import { ticketIdIn } from '../../core/ticket-id.ts';
import { findLastUse, wasUsed } from '../../features/log/last-use.ts';
import { findKey } from '../manage/find-key.ts';
import type { Store } from '../stores/store.ts';
import { explain, type InsteadOfFacts, type InsteadOfSteps } from './explain.ts';
import type { Explanation, Rule } from './explanation.ts';
import { gatherFacts } from './gather-facts.ts';
import { outcomeOn, type ScanFacts } from './scan-facts.ts';

/** How many of a ticket's latest scans are shown. */
const SCANS_SHOWN = 5;

export interface CodeQuestion {
  /** A code; or the id of a ticket, as it is or as it is printed: then the signature is not looked at. */
  readonly code: string;
  /** A key's value, id or unique name; without it, a key that may scan the ticket's event is taken for granted. */
  readonly key: string | undefined;
  readonly operation: Operation;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  /** Of the times in sentences, as `explain` takes it. */
  readonly timeZone: string | undefined;
}

export interface ExplainedCode {
  readonly explanation: Explanation;
  /** Undefined when the code is not genuine or the store has none. */
  readonly ticket: Ticket | undefined;
  /** The ticket's latest scans, oldest first. */
  readonly lastScans: readonly LogEntry[];
  /** Undefined when the ticket was not used. */
  readonly lastUse: LastUse | undefined;
  /** Of the organisation whose ticket it is; undefined where none was set. */
  readonly timeZone: string | undefined;
  /** By id, of the keys that are not deleted. */
  readonly keyNames: ReadonlyMap<string, string>;
}

/** When a ticket was used last, and where. */
export interface LastUse {
  /** Milliseconds since 1970 UTC. */
  readonly at: number;
  /** Undefined when the log does not hold it: it was pruned, or came with an import. */
  readonly entry: LogEntry | undefined;
}

/**
 * What a scan of this code would be answered, and why. Registers nothing.
 * @throws TicketscanError `not_found`, `usage` for a key that there is not
 */
export async function explainCode(
  store: Store,
  keyring: Keyring,
  { code, key, operation, now, timeZone }: CodeQuestion,
): Promise<ExplainedCode> {
  const named = key === undefined ? undefined : await findKey(store, key);
  const ticketId = ticketIdIn(code);
  const ticketCode = ticketId === undefined ? code : makeTicketCode(ticketId, keyring, 'TS1');
  const gathered = await gatherFacts(store, keyring, { keyId: named?.id ?? '', ticketCode, now });
  const facts = named ? gathered : { ...gathered, key: anyKeyOf(gathered) };
  const request = requestFor(facts, { operation, now });
  const explanation = explain(request, facts, outcomeOn(facts, request), {
    timeZone,
    instead: instead({
      ...(named ? NOT_ASKED : NO_KEY_NAMED),
      ...(ticketId !== undefined && NO_CODE),
    }),
  });
  const { ticket } = facts;
  const lastScans = ticket ? await store.readLog({ ticketId: ticket.id, limit: SCANS_SHOWN }) : [];
  const keys = await store.listKeys();
  return {
    ...{ explanation, ticket, lastScans },
    lastUse: await lastUseOf(store, ticket),
    timeZone: await timeZoneOf(store, facts),
    keyNames: new Map(keys.map(({ id, name }) => [id, name])),
  };
}

async function timeZoneOf(store: Store, { event }: ScanFacts): Promise<string | undefined> {
  const organisations = await store.listOrganisations();
  return organisations.find(({ id }) => id === event?.organisationId)?.timeZone;
}

async function lastUseOf(store: Store, ticket: Ticket | undefined): Promise<LastUse | undefined> {
  if (!ticket || !wasUsed(ticket)) return undefined;
  return { at: ticket.lastConsumedAt, entry: await findLastUse(store, ticket) };
}

const NOT_ASKED = {
  rate: 'The rate limit is not checked: only the running server knows the latest requests.',
  retry: 'Explained as a first request, without Idempotency-Key.',
};

const NO_KEY_NAMED = {
  ...NOT_ASKED,
  key: 'No key was named.',
  quota: 'No key was named.',
  scope: 'No key was named; a key with access to the event is assumed.',
};

const NO_CODE = {
  body: 'The id of a ticket was given. Ids are no codes: the code itself is not judged.',
  signature: 'Not checked: this needs the code. The other rules are those of a genuine code.',
};

function instead(reasons: Partial<Record<Rule, string>>): InsteadOfSteps {
  const entries = Object.entries(reasons).map(([rule, because]): [string, InsteadOfFacts] => {
    return [rule, { result: 'not_asked', because }];
  });
  return Object.fromEntries(entries);
}

function requestFor(
  { key, signature }: ScanFacts,
  { operation, now }: Pick<CodeQuestion, 'operation' | 'now'>,
): ScanRequest {
  const subject: ScanSubject =
    signature.kind === 'genuine'
      ? { kind: 'ticket', ticketId: signature.ticketId, eventId: signature.eventId }
      : { kind: 'forged', excerpt: '' };
  const nobody = { serial: null, reader: null, retry: null };
  return { kind: 'scan', keyId: key?.id ?? '', operation, subject, now, ...nobody };
}

/** A key that may scan everything of the organisation whose event it is. */
function anyKeyOf({ event }: ScanFacts): ApiKeyRecord {
  return {
    id: '',
    organisationId: event?.organisationId ?? '',
    name: '',
    type: 'api',
    events: 'all',
    active: true,
    relay: 'auto',
    openSeconds: OPEN_SECONDS_DEFAULT,
    createdAt: 0,
  };
}
