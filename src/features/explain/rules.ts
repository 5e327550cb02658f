import { isAccountId } from '../../core/administrative-records.ts';
import { isoTime, monthOf } from '../../core/clock.ts';
import { keyStateName } from '../../core/key-terms.ts';
import { isNearItsEnd } from '../../core/limits.ts';
import type { ApiKeyRecord, EventRecord } from '../../core/records.ts';
import type { BatchRequest, ScanOutcome } from '../../core/scan-requests.ts';
import type { Ticket } from '../../core/ticket.ts';
import { shownTime } from '../../core/time-zone.ts';
import type { ExplanationStep, Facts, Rule } from './explanation.ts';
import type { ScanFacts } from './scan-facts.ts';

const BY_KIND = {
  key_refused: 'key',
  device_changed: 'key',
  limited: 'rate',
  rate_changed: 'rate',
  quota_exceeded: 'quota',
  retry_conflict: 'retry',
  bad_retry_name: 'retry',
  too_few_uses: 'uses',
  elsewhere: 'scope',
  alive: undefined,
  relayed: undefined,
} as const;

const BY_STATUS = {
  validated: undefined,
  consumed: undefined,
  not_found: 'existence',
  exhausted: 'uses',
} as const;

const BY_REASON = {
  missing_ticket_code: 'body',
  invalid_ticket: 'signature',
  event_not_allowed: 'scope',
  ticket_cancelled: 'cancelled',
  not_yet_valid: 'valid_from',
  expired: 'valid_until',
  not_used: 'uses',
} as const;

/** The rule that gave an outcome; undefined when every rule let the request through. */
export function decidingRule(outcome: ScanOutcome, isReplay: boolean): Rule | undefined {
  if (outcome.kind !== 'decided') return BY_KIND[outcome.kind];
  if (isReplay) return 'retry';
  const { decision } = outcome;
  return decision.status === 'rejected' ? BY_REASON[decision.reason] : BY_STATUS[decision.status];
}

export interface StepContext {
  readonly request: BatchRequest;
  readonly facts: ScanFacts;
  readonly outcome: ScanOutcome;
  /** True for the rule that gave the answer. */
  readonly stopped: boolean;
  /** The exit opens for every ticket that was used to come in, even when no use is left. */
  readonly atOpenExit: boolean;
  readonly timeZone: string | undefined;
}

type Description = Pick<ExplanationStep, 'because' | 'facts'>;

function say(because: string, facts: Facts = {}): Description {
  return { because, facts };
}

/** A time in a sentence. */
function inWords(time: number | null, { timeZone }: StepContext): string | null {
  return timeZone === undefined ? isoTime(time) : (shownTime(time, timeZone) ?? null);
}

/** Describes the check of one rule, in a sentence and as facts. */
export function describeRule(rule: Rule, context: StepContext): Description {
  return DESCRIPTIONS[rule](context);
}

const DESCRIPTIONS: Readonly<Record<Rule, (context: StepContext) => Description>> = {
  key: aboutKey,
  rate: aboutRate,
  quota: aboutQuota,
  retry: aboutRetry,
  body: ({ stopped }) =>
    say(
      stopped
        ? 'The body has no readable ticket code. A controller sends it as Base64 in Card.'
        : 'A ticket code was read.',
    ),
  signature: aboutSignature,
  scope: aboutScope,
  existence: aboutExistence,
  cancelled: (context) => aboutTicket(context, aboutCancelled),
  valid_from: (context) => aboutTicket(context, aboutValidFrom),
  valid_until: (context) => aboutTicket(context, aboutValidUntil),
  uses: (context) => aboutTicket(context, aboutUses),
};

function aboutKey(context: StepContext): Description {
  const { request, stopped } = context;
  const { key } = context.facts;
  if (!key) {
    const because = stopped
      ? 'The key does not exist, or was deleted.'
      : 'The key was valid then; it was deleted later.';
    return say(because, { keyId: request.keyId });
  }
  if (isAccountId(key.id)) return say(`The account "${key.name}" scanned.`, { keyId: key.id });
  const { id, name, type, active, expiresAt = null } = key;
  const state = keyStateName(key, request.now);
  const facts = { keyId: id, name, type, active };
  if (state !== 'expired') return say(`The ${type} key "${name}" is ${state}.`, facts);
  const because = `The ${type} key "${name}" expired at ${inWords(expiresAt, context)}.`;
  return say(because, { ...facts, expiresAt: isoTime(expiresAt) });
}

function aboutRate({ facts: { limits }, stopped }: StepContext): Description {
  const { ratePerSecond, burst } = limits;
  const bound = `${ratePerSecond} requests a second (${burst} at once)`;
  const because = stopped ? `The key sent more than ${bound}.` : `Within ${bound}.`;
  return say(because, { ratePerSecond, burst });
}

function aboutQuota({ facts, request, stopped }: StepContext): Description {
  const { quotaPerMonth } = facts.limits;
  const { requestsInMonth } = facts;
  const month = monthOf(request.now);
  const because = stopped
    ? `All ${quotaPerMonth} requests of the month ${month} are used.`
    : `${requestsInMonth} of ${quotaPerMonth} requests of the month ${month} were used before.`;
  return say(because, { month, requestsInMonth, quotaPerMonth });
}

const GIVEN_AGAIN =
  'The same request came before: its first answer is given again, and no further use is taken.';
const REFUSED_RETRY: Partial<Record<ScanOutcome['kind'], string>> = {
  retry_conflict: 'The same Idempotency-Key was used before, with another body.',
  bad_retry_name: 'The Idempotency-Key is not 1 to 255 visible ASCII characters.',
};

function aboutRetry({ request, outcome, stopped }: StepContext): Description {
  const retry = request.kind === 'scan' ? request.retry : null;
  const facts = { repeatable: retry !== null };
  if (stopped) return say(REFUSED_RETRY[outcome.kind] ?? GIVEN_AGAIN, facts);
  const because = retry
    ? 'The first request with this Idempotency-Key: its answer is stored for retries.'
    : 'No Idempotency-Key and no retry window of a device: a new decision.';
  return say(because, facts);
}

function aboutSignature({ facts: { signature } }: StepContext): Description {
  switch (signature.kind) {
    case 'no_code':
      return say('No code to verify.');
    case 'forged':
      return say(`The code is not genuine. ${signature.why}`, { genuine: false });
    case 'genuine': {
      const { format, signingKeyId, signingKeyState, ticketId } = signature;
      const because = `Signed by ${signingKeyId} (${format}, ${signingKeyState}).`;
      return say(because, { genuine: true, format, signingKeyId, signingKeyState, ticketId });
    }
  }
}

function aboutScope(context: StepContext): Description {
  const { outcome, stopped } = context;
  const { event, key, signature } = context.facts;
  if (outcome.kind === 'elsewhere') {
    const { eventId, where: home } = outcome;
    const because = `Its event has its home at ${home}: its scans are decided there, and answered with HTTP 500 here.`;
    return say(because, { eventId, home });
  }
  const eventId = signature.kind === 'genuine' ? signature.eventId : '';
  if (!event) return say(`The store has no event ${eventId}.`, { eventId });
  if (key && isAccountId(key.id)) {
    if (!isOfOther(event, key)) return aboutScopeOfAccount(event.name, stopped);
    const because = `Event "${event.name}" belongs to another organisation than the account.`;
    return say(because, { eventName: event.name, sameOrganisation: false });
  }
  const sameOrganisation = event.organisationId === key?.organisationId;
  const scope = key?.events === 'all' ? 'all' : (key?.events ?? []).join(',');
  const facts = { eventId, eventName: event.name, sameOrganisation, keyEvents: scope };
  const named = `Event "${event.name}"`;
  if (!sameOrganisation)
    return say(`${named} belongs to another organisation than the key.`, facts);
  if (stopped) return say(`${named} is not among the key's events.`, facts);
  const whose =
    scope === 'all' ? 'the key has access to every event' : "it is among the key's events";
  return say(`${named} belongs to the key's organisation, and ${whose}.`, facts);
}

/** Describes the scope of an account. It may have changed since the scan, because the log does not have it. */
function aboutScopeOfAccount(eventName: string, stopped: boolean): Description {
  const because = `Event "${eventName}" was ${stopped ? 'not ' : ''}among those that the account may scan.`;
  return say(because, { eventName });
}

/** Where accounts are known by their names only, they have no organisation. */
function isOfOther(event: EventRecord, { organisationId }: ApiKeyRecord): boolean {
  return organisationId !== '' && event.organisationId !== organisationId;
}

const TYPED_OF_OTHER =
  'An identifier was typed, which everybody can make up: whether another organisation has such a ticket is not told.';

function aboutExistence({ facts: { event, key, signature }, stopped }: StepContext): Description {
  const facts = { exists: !stopped };
  if (!stopped) return say('The ticket is in the store.', facts);
  if (event && key && isOfOther(event, key)) return say(TYPED_OF_OTHER, facts);
  const hasNoOwner = signature.kind === 'genuine' && !event;
  const because = hasNoOwner
    ? 'The code is genuine, but nobody has its event: it is still to be imported, or was deleted.'
    : 'The code is genuine, but its ticket is not in the store.';
  return say(because, facts);
}

function aboutTicket(
  context: StepContext,
  describe: (ticket: Ticket, context: StepContext) => Description,
): Description {
  const { ticket } = context.facts;
  return ticket ? describe(ticket, context) : say('The ticket no longer exists.');
}

function aboutCancelled({ cancelledAt }: Ticket, context: StepContext): Description {
  const since = inWords(cancelledAt, context);
  const withoutTime = context.stopped
    ? 'It was cancelled then; it was reinstated later.'
    : 'Not cancelled.';
  const because = since === null ? withoutTime : `Cancelled at ${since}.`;
  return say(because, { cancelledAt: isoTime(cancelledAt) });
}

function aboutValidFrom({ validFrom }: Ticket, context: StepContext): Description {
  return aboutWindow({ validFrom }, context, ['Valid from', 'It has no start.', 'Not valid yet.']);
}

function aboutValidUntil({ validUntil }: Ticket, context: StepContext): Description {
  return aboutWindow({ validUntil }, context, ['Valid until', 'It has no end.', 'Expired.']);
}

/** One end of the time in which a ticket is valid. */
function aboutWindow(
  end: Readonly<Record<string, number | null>>,
  context: StepContext,
  [valid, withoutEnd, refused]: readonly [string, string, string],
): Description {
  const { request, stopped } = context;
  const [[name = '', time = null] = []] = Object.entries(end);
  const [shown, now] = [inWords(time, context), inWords(request.now, context)];
  const window = shown === null ? withoutEnd : `${valid} ${shown}; it is ${now}.`;
  const facts = { [name]: isoTime(time), now: isoTime(request.now) };
  return say(stopped ? `${refused} ${window}` : window, facts);
}

const NEAR_ITS_END = 'The permanent card is almost used up: its last use is number 9999.';
const ONLY_WHO_CAME_IN =
  'This exit opens only for tickets that were used to come in, and this one was never used.';

function aboutUses(ticket: Ticket, context: StepContext): Description {
  const { outcome, stopped, atOpenExit } = context;
  const { usesAllowed, usesConsumed } = ticket;
  const lastConsumedAt = inWords(ticket.lastConsumedAt, context);
  const facts = {
    usesAllowed,
    usesConsumed,
    usesRemaining: usesAllowed - usesConsumed,
    lastConsumedAt: isoTime(ticket.lastConsumedAt),
  };
  const last =
    lastConsumedAt === null || usesConsumed === 0 ? '' : `, the last at ${lastConsumedAt}`;
  const taken = `${usesConsumed} of ${usesAllowed} uses were taken before${last}`;
  if (stopped && usesConsumed === 0) return say(ONLY_WHO_CAME_IN, facts);
  if (atOpenExit) return say(`${taken}: that is enough at this exit, which takes no use.`, facts);
  if (stopped) return say(`No use is left: ${taken}.`, facts);
  const takes =
    outcome.kind === 'decided' && outcome.decision.status === 'consumed'
      ? `; this scan takes use ${usesConsumed + 1}`
      : '';
  const end = isNearItsEnd(ticket) ? ` ${NEAR_ITS_END}` : '';
  return say(`${taken}${takes}.${end}`, facts);
}
