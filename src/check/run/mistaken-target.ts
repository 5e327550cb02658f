import type { KeyName, TicketKind } from '../deployment/target.ts';
import { type Exchange, endpointAt, isRest, keyIn, type ScanEndpoint } from '../facts/exchange.ts';
import { TransportFailure } from '../facts/failures.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { curlLine } from '../requests/redact.ts';
import { keylessRequest, UNKNOWN_KEY, withKey } from '../requests/scan-request.ts';
import type { Preflight } from '../results/result.ts';
import { GOOD, GOOD_TOO, NO_TICKET, REFUSED, sampleOf } from '../samples/samples.ts';
import type { Run } from './run-state.ts';

const OWN_SOFTWARE: readonly KeyName[] = ['rest', 'restScoped'];
const DEVICES: readonly KeyName[] = ['hardware', 'hardwareScoped'];
const REFUSED_KEYS: Readonly<Record<'rest' | 'hardware', readonly KeyName[]>> = {
  rest: ['disabled', 'deleted'],
  hardware: ['hardwareDisabled', 'hardwareDeleted'],
};
/** What a server says to a code that does not exist, once it has accepted the key. */
const KEY_ACCEPTED: readonly Outcome[] = ['invalid_ticket', 'not_found', 'confirmed'];

/**
 * Finds keys that stand under each other's names, from the answers to the probes. Asks more only where a key that should be good
 * was refused by every endpoint.
 * @returns undefined where the cases can run
 */
export async function mistakenKeys(run: Run): Promise<Preflight | undefined> {
  for (const name of [...OWN_SOFTWARE, ...DEVICES]) {
    const probes = probesWith(run, name);
    const [first] = probes;
    if (!first || probes.some(isKeyAccepted)) continue;
    const found = (await keyOfOtherType(run, name)) ?? (await keyInOtherState(run, name));
    if (found) return told(run, first, ...found);
  }
  return undefined;
}

function probesWith(run: Run, name: KeyName): Exchange[] {
  return run.exchanges.filter(
    ({ caseId, request }) =>
      caseId.startsWith('preflight ') && keyIn(request) === run.target.keys[name],
  );
}

function isKeyAccepted({ request, answer }: Exchange): boolean {
  if (answer.status === 401) return false;
  const { outcome } = read(answer);
  // at devices a refused key may look like a ticket out of its scope
  const isInScopeOnly = outcome === 'event_not_allowed' && isRest(endpointAt(request));
  return isInScopeOnly || KEY_ACCEPTED.includes(outcome);
}

/** A server that takes any key tells nothing about this one. */
async function takesAnyKey(run: Run, endpoint: ScanEndpoint): Promise<boolean> {
  const seen = await askWith(run, endpoint, NO_TICKET, UNKNOWN_KEY);
  return seen === undefined || isKeyAccepted(seen);
}

type Found = readonly [observed: string, advice: string];

async function keyOfOtherType(run: Run, name: KeyName): Promise<Found | undefined> {
  const isSoftware = OWN_SOFTWARE.includes(name);
  const endpoint = isSoftware ? 'hw/validate' : 'validate';
  const seen = await ask(run, endpoint, NO_TICKET, name);
  if (!seen || !isKeyAccepted(seen) || (await takesAnyKey(run, endpoint))) return undefined;
  const other = otherType(name);
  const isOtherToo =
    run.target.keys[other] !== undefined && !probesWith(run, other).some(isKeyAccepted);
  return [
    `The key "${name}" is refused ${isSoftware ? 'as a key of own software' : 'as a key of a device'}, and accepted as ${isSoftware ? 'one of a device' : 'one of own software'}.`,
    isOtherToo
      ? `Are "keys.${name}" and "keys.${other}" of the target file exchanged?`
      : `Is "keys.${name}" of the target file a key of the other integration type?`,
  ];
}

function otherType(name: KeyName): KeyName {
  const [from, to] = OWN_SOFTWARE.includes(name)
    ? [OWN_SOFTWARE, DEVICES]
    : [DEVICES, OWN_SOFTWARE];
  return to[from.indexOf(name)] ?? name;
}

async function keyInOtherState(run: Run, name: KeyName): Promise<Found | undefined> {
  const isSoftware = OWN_SOFTWARE.includes(name);
  for (const refused of REFUSED_KEYS[isSoftware ? 'rest' : 'hardware']) {
    if (run.target.keys[refused] === undefined) continue;
    const endpoint = isSoftware ? 'validate' : 'hw/validate';
    const seen = await ask(run, endpoint, NO_TICKET, refused);
    if (!seen || !isKeyAccepted(seen) || (await takesAnyKey(run, endpoint))) continue;
    return [
      `The key "${name}" is refused, and the key "${refused}" is accepted.`,
      `Are "keys.${name}" and "keys.${refused}" of the target file exchanged?`,
    ];
  }
  return undefined;
}

/** Kinds that the probes show to validate, each with the answer of a right server. */
const SIGNS: Readonly<Partial<Record<TicketKind, string>>> = {
  single: 'granted 1',
  multi: 'granted 2 to 100',
  permanent: 'granted 9999',
  exhausted: 'exhausted',
  cancelled: 'ticket_cancelled',
  notYetValid: 'not_yet_valid',
  expired: 'expired',
  unknown: 'not_found',
};

/** A server may confuse these two with each other: only the windows that a target names tell. */
const CONFUSED_BY_SERVERS: readonly TicketKind[] = ['notYetValid', 'expired'];

/**
 * Finds lists of tickets that stand under each other's names, and keys whose scopes do. Its probes are answers that cases judge later
 * anyway; it asks more only where one of them is not as it should be.
 * @returns undefined where the cases can run
 */
export async function mistakenTickets(run: Run): Promise<Preflight | undefined> {
  await Promise.all(
    [...GOOD, ...GOOD_TOO, ...REFUSED, 'outOfScope' as const].map((situation) =>
      settled(run, sampleOf(situation, 'validate')),
    ),
  );
  return exchangedLists(run) ?? (await exchangedScopes(run));
}

/** Fetches a shared answer; the case that judges it says what went wrong. */
async function settled(run: Run, sample: string): Promise<Exchange | undefined> {
  if (!run.has(sample)) return undefined;
  return run.sample(sample).catch((error: unknown) => {
    if (error instanceof TransportFailure) return undefined;
    throw error;
  });
}

/** What was seen of the tickets of each kind. */
class Looks {
  readonly #looks: ReadonlyMap<TicketKind, readonly Exchange[]>;

  constructor(run: Run) {
    const kinds = Object.keys(SIGNS) as TicketKind[];
    this.#looks = new Map(kinds.map((kind) => [kind, looksAt(run, kind)]));
  }

  first(kind: TicketKind): Exchange | undefined {
    return this.#looks.get(kind)?.[0];
  }

  /** True where all tickets of a kind were answered as those of that other kind should be. */
  areAs(kind: TicketKind, other: TicketKind): boolean {
    const looks = this.#looks.get(kind) ?? [];
    return looks.length > 0 && looks.every((look) => signOf(look) === SIGNS[other]);
  }

  /** Two kinds that are answered as each other; a server that takes one state for the other does so for every kind. */
  exchanged(): readonly [TicketKind, TicketKind] | undefined {
    const kinds = [...this.#looks.keys()];
    const pairs = kinds.flatMap((one, index) =>
      kinds.slice(index + 1).map((other) => [one, other] as const),
    );
    return pairs.find(
      ([one, other]) =>
        !(CONFUSED_BY_SERVERS.includes(one) && CONFUSED_BY_SERVERS.includes(other)) &&
        this.areAs(one, other) &&
        this.areAs(other, one) &&
        kinds.some(
          (kind) => kind !== one && kind !== other && isGoodKind(kind) && this.areAs(kind, kind),
        ),
    );
  }
}

function exchangedLists(run: Run): Preflight | undefined {
  const looks = new Looks(run);
  const [one, other] = looks.exchanged() ?? [];
  const shown = one && looks.first(one);
  if (!one || !other || !shown) return undefined;
  return told(
    run,
    shown,
    `The "${one}" tickets are answered as "${other}" ones should be (${SIGNS[other]}), and the "${other}" tickets as "${one}" ones (${SIGNS[one]}).`,
    `Are the lists "tickets.${one}" and "tickets.${other}" of the target file exchanged?`,
  );
}

function isGoodKind(kind: TicketKind): boolean {
  return (GOOD as readonly TicketKind[]).includes(kind);
}

/** What validate answered about the tickets of a kind, with the key for all events. */
function looksAt(run: Run, kind: TicketKind): Exchange[] {
  const codes = (run.given.tickets[kind] ?? []).map(({ code }) => JSON.stringify(code));
  return run.exchanges.filter(
    ({ request }) =>
      endpointAt(request) === 'validate' &&
      keyIn(request) === run.target.keys.rest &&
      codes.some((code) => String(request.body).includes(code)),
  );
}

function signOf({ answer }: Exchange): string {
  const { outcome, allowed } = read(answer);
  if (outcome !== 'granted' || allowed === undefined) return outcome;
  return allowed >= 2 && allowed <= 100 ? 'granted 2 to 100' : `granted ${allowed}`;
}

/** The ticket of another event was let in with the scoped key: a fault of the server, or two keys or lists that are exchanged. */
async function exchangedScopes(run: Run): Promise<Preflight | undefined> {
  const sample = sampleOf('outOfScope', 'validate');
  const seen = await settled(run, sample);
  const [ticket] = run.ticketsOf(sample).tickets.otherEvent ?? [];
  if (!seen || !ticket || outcomeOf(seen) !== 'granted') return undefined;
  if (run.target.keys.rest === undefined) return undefined;
  const whole = await ask(run, 'validate', ticket.code, 'rest');
  if (whole && outcomeOf(whole) === 'event_not_allowed')
    return told(
      run,
      seen,
      'The ticket of "otherEvent" is let in with the key "restScoped", and refused with the key "rest" as out of its scope.',
      'Are "keys.rest" and "keys.restScoped" of the target file exchanged?',
    );
  return listsOfOtherEvent(run, seen);
}

async function listsOfOtherEvent(run: Run, seen: Exchange): Promise<Preflight | undefined> {
  const outcomes = new Map<TicketKind, Outcome | undefined>();
  for (const kind of GOOD) {
    const ticket = run.target.tickets[kind]?.at(-1);
    const look = ticket && (await ask(run, 'validate', ticket.code, 'restScoped'));
    if (look) outcomes.set(kind, outcomeOf(look));
  }
  const refused = [...outcomes].filter(([, outcome]) => outcome === 'event_not_allowed');
  const [kind] = refused[0] ?? [];
  const isRight = [...outcomes.values()].includes('granted');
  if (kind === undefined || refused.length > 1 || !isRight) return undefined;
  return told(
    run,
    seen,
    `The ticket of "otherEvent" is let in with the key "restScoped", and the one of "${kind}" is refused as out of its scope.`,
    `Are the lists "tickets.${kind}" and "tickets.otherEvent" of the target file exchanged?`,
  );
}

const outcomeOf = ({ answer }: Exchange): Outcome => read(answer).outcome;

/** Asks something beside all cases; undefined where no answer came. */
async function ask(
  run: Run,
  endpoint: ScanEndpoint,
  code: string,
  name: KeyName,
): Promise<Exchange | undefined> {
  return askWith(run, endpoint, code, run.target.keys[name] ?? '');
}

async function askWith(
  run: Run,
  endpoint: ScanEndpoint,
  code: string,
  key: string,
): Promise<Exchange | undefined> {
  const request = withKey(keylessRequest(endpoint, code), key);
  try {
    return await run.send(request, { id: 'probe of the target', level: 'unstated' });
  } catch (error) {
    if (error instanceof TransportFailure) return undefined;
    throw error;
  }
}

function told(run: Run, shown: Exchange, observed: string, advice: string): Preflight {
  return {
    observed: run.redactor.redact(observed),
    advice: `${advice} No case was run and no use was taken.`,
    reproduce: curlLine(run.baseUrl, shown.request, run.redactor),
  };
}
