import type { TicketKind } from '../../target/target.ts';
import { FORGERY_RECIPES } from '../histories/forgery.ts';
import {
  type Card,
  type Group,
  type History,
  isDevice,
  placeName,
  placesIn,
  type Step,
} from '../histories/history.ts';
import { countsIn, type Meaning, meaningOf } from '../model/meaning.ts';
import type { Observation } from '../run/observation.ts';

const KINDS: Readonly<Record<TicketKind, string>> = {
  single: 'single ticket',
  multi: 'multi-use card',
  permanent: 'permanent card',
  personalised: 'personalised ticket',
  windowed: 'ticket with a window',
  exhausted: 'used-up ticket',
  cancelled: 'cancelled ticket',
  notYetValid: 'ticket that is not yet valid',
  expired: 'expired ticket',
  otherEvent: 'ticket of another event',
  unknown: 'ticket that does not exist',
  otherOrganisation: 'ticket of another organisation',
  permanentEnded: 'permanent card at its end',
  openEnd: 'ticket without an end',
  openStart: 'ticket without a start',
  hundred: 'card of 100',
  otherEventCancelled: 'cancelled ticket of another event',
  otherEventExpired: 'expired ticket of another event',
};

const ANSWERS: Partial<Record<Meaning, string>> = {
  not_found: 'not found',
  ticket_cancelled: 'rejected as cancelled',
  not_yet_valid: 'rejected as not yet valid',
  expired: 'rejected as expired',
  invalid_ticket: 'rejected as invalid',
  event_not_allowed: 'refused for the event',
  missing_ticket_code: 'refused for the missing code',
  unauthorised: 'refused for the key',
  alive: 'answered',
  limited: 'refused for the rate',
  fault: 'a server error',
  lost: 'no answer',
  strange: 'an answer that the specification does not define',
};

/**
 * A history in plain English, a line for each step.
 * @param trace the answers, where there are some
 */
export function storyOf(
  history: History,
  trace: readonly (readonly Observation[])[] = [],
): string[] {
  const names = ticketNames(history);
  return history.flatMap((group, i) => linesOf(group, names, trace[i] ?? []));
}

/** Letters for the tickets of a history: A, B, and so on. */
function ticketNames(history: History): Map<string, string> {
  return new Map(placesIn(history).map((place, i) => [placeName(place), letter(i)]));
}

function letter(n: number): string {
  const last = String.fromCharCode(65 + (n % 26));
  return n < 26 ? last : letter(Math.floor(n / 26) - 1) + last;
}

function linesOf(
  group: Group,
  names: ReadonlyMap<string, string>,
  observations: readonly Observation[],
): string[] {
  const before = group.pauseMs === undefined ? '' : `After ${group.pauseMs} ms: `;
  const left = [...observations];
  return group.steps.map((step, i) => {
    const sentence = `${subject(step)} ${predicate(step, names)}`;
    const together = togetherOf(group, step, i);
    const isLast = !group.steps.slice(i + 1).some((one) => isSame(one, step));
    const answers = answersTo(taken(left, step, isLast ? left.length : step.times));
    const start = i === 0 ? before : '';
    return `${start}${together}${sentence}${times(step, group)}${connection(group)}.${answers}`;
  });
}

/** Takes the answers to a step out of those that are left; equal steps of a group share theirs in order. */
function taken(left: Observation[], step: Step, countMax: number): Observation[] {
  const own = left.filter((one) => isSame(one.step, step)).slice(0, countMax);
  for (const one of own) left.splice(left.indexOf(one), 1);
  return own;
}

function isSame(one: Step, other: Step): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function togetherOf({ way, steps }: Group, step: Step, index: number): string {
  if (way === 'in-turn') return '';
  if (index > 0) return 'At the same time: ';
  if (steps.length === 1 && step.times === 1) return '';
  return way === 'at-once' ? 'At once: ' : 'Without waiting for answers: ';
}

function subject({ action }: Step): string {
  return isDevice(action) ? 'A device' : 'Software';
}

function predicate(step: Step, names: ReadonlyMap<string, string>): string {
  const key = keyPhrase(step);
  const abandoned = step.abandoned ? ' and closes the connection before the answer' : '';
  if (step.action === 'heartbeat') return `sends a heartbeat${key}${abandoned}`;
  const verb = step.action.endsWith('consume') ? 'consumes' : 'validates';
  const what = step.card ? cardPhrase(step.card, names) : 'without a code';
  return `${verb} ${what}${key}${abandoned}`;
}

function cardPhrase({ ticket, forged }: Card, names: ReadonlyMap<string, string>): string {
  const name = `${names.get(placeName(ticket))} (${KINDS[ticket.kind]})`;
  return forged ? `the code of ${name} ${FORGERY_RECIPES[forged].what}` : name;
}

function keyPhrase({ key }: Step): string {
  if (key === 'missing') return ' without a key';
  return key === 'unknown' ? ' with a key that does not exist' : ` with the key "${key}"`;
}

function times({ times: count, retry }: Step, { way }: Group): string {
  if (count === 1) return '';
  const sent = retry ? ', sent' : ',';
  const as = retry ? ' as one request (the same Idempotency-Key or serial)' : '';
  return way === 'in-turn' ? `${sent} ${count} times in turn${as}` : `${sent} ${count} times${as}`;
}

function connection({ way, over }: Group): string {
  if (way === 'at-once' || over === 'new') return '';
  return `, on connection ${over.slice('kept-'.length)}`;
}

function answersTo(observations: readonly Observation[]): string {
  if (observations.length === 0) return '';
  const groups = new Map<Meaning, (number | undefined)[]>();
  for (const observation of observations) {
    const meaning = meaningOf(observation);
    const used = observation.answer && countsIn(observation.answer).used;
    groups.set(meaning, [...(groups.get(meaning) ?? []), used]);
  }
  const parts = [...groups].map(([meaning, uses]) => {
    const count = observations.length === 1 ? '' : `${uses.length} `;
    return `${count}${ANSWERS[meaning] ?? meaning}${usesPhrase(meaning, uses)}`;
  });
  return ` Answer: ${parts.join(', ')}.`;
}

const SHOWN_MAX = 8;

function usesPhrase(meaning: Meaning, uses: readonly (number | undefined)[]): string {
  const known = uses.filter((used) => used !== undefined);
  if (known.length === 0 || (meaning !== 'consumed' && meaning !== 'validated')) return '';
  const shown = [...known].sort((a, b) => a - b).slice(0, SHOWN_MAX);
  const more = known.length > SHOWN_MAX ? ', …' : '';
  return ` (usesConsumed ${shown.join(', ')}${more})`;
}
