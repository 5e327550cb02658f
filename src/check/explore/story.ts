import type { TicketKind } from '../deployment/target.ts';
import { isConsume, isRest } from '../facts/exchange.ts';
import {
  forgeryInWords,
  type Group,
  type History,
  type Slot,
  type Step,
  slotName,
  slotsIn,
} from './history.ts';
import { type Observation, wordOf } from './observation.ts';

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

const ANSWERS: Readonly<Record<string, string>> = {
  not_found: 'not found',
  ticket_cancelled: 'rejected as cancelled',
  not_yet_valid: 'rejected as not yet valid',
  expired: 'rejected as expired',
  invalid_ticket: 'rejected as invalid',
  event_not_allowed: 'refused for the event',
  missing_ticket_code: 'refused for the missing code',
  unauthorised: 'refused for the key',
  confirmed: 'answered',
  limited: 'refused for the rate',
  error: 'a server error',
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
  return new Map(slotsIn(history).map((slot, i) => [slotName(slot), letter(i)]));
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
  const { dispatch, over, pauseMs, steps } = group;
  const kept = dispatch === 'together' || over === 'new' ? undefined : over.slice('kept-'.length);
  return steps.map((step, i) => {
    const pause = i === 0 && pauseMs !== undefined ? `After ${pauseMs} ms: ` : '';
    const connection = kept === undefined ? '' : `, on connection ${kept}`;
    // equal steps of a group are not one: each has its own answers
    const answers = answersTo(observations.filter((one) => one.step === step));
    return `${pause}${togetherOf(group, step, i)}${sentenceOf(step, names)}${timesOf(step, dispatch)}${connection}.${answers}`;
  });
}

function togetherOf({ dispatch, steps }: Group, step: Step, index: number): string {
  if (dispatch === 'one-by-one') return '';
  if (index > 0) return 'At the same time: ';
  if (steps.length === 1 && step.times === 1) return '';
  return dispatch === 'together' ? 'At once: ' : 'Without waiting for answers: ';
}

function sentenceOf(step: Step, names: ReadonlyMap<string, string>): string {
  const { endpoint, ticket, forge, abandon } = step;
  const subject = isRest(endpoint) ? 'Software' : 'A device';
  const rest = `${keyPhrase(step)}${abandon ? ' and closes the connection before the answer' : ''}`;
  if (endpoint === 'heartbeat') return `${subject} sends a heartbeat${rest}`;
  const verb = isConsume(endpoint) ? 'consumes' : 'validates';
  const name = ticket && ticketPhrase(ticket, names);
  const code = forge === undefined ? name : `the code of ${name} ${forgeryInWords(forge)}`;
  return `${subject} ${verb} ${code ?? 'without a code'}${rest}`;
}

function ticketPhrase(slot: Slot, names: ReadonlyMap<string, string>): string {
  return `${names.get(slotName(slot))} (${KINDS[slot.kind]})`;
}

function keyPhrase({ key }: Step): string {
  if (key === 'missing') return ' without a key';
  return key === 'unknown' ? ' with a key that does not exist' : ` with the key "${key}"`;
}

function timesOf({ times, retry }: Step, dispatch: Group['dispatch']): string {
  if (times === 1) return '';
  const inTurn = dispatch === 'one-by-one' ? ' in turn' : '';
  const as = retry ? ' as one request (the same Idempotency-Key or serial)' : '';
  return `,${retry ? ' sent' : ''} ${times} times${inTurn}${as}`;
}

function answersTo(observations: readonly Observation[]): string {
  if (observations.length === 0) return '';
  const parts = [...Map.groupBy(observations, told)].map(([outcome, same]) => {
    const count = observations.length === 1 ? '' : `${same.length} `;
    return `${count}${ANSWERS[outcome] ?? outcome}${usesPhrase(same)}`;
  });
  return ` Answer: ${parts.join(', ')}.`;
}

/** A device is told the same Note for a wrong key as for another event: a 401 to a key without a scope is about the key. */
function told(at: Observation): string {
  const { outcome, answer, step } = at;
  const isScoped = step.key === 'restScoped' || step.key === 'hardwareScoped';
  return outcome === 'event_not_allowed' && answer?.status === 401 && !isScoped
    ? 'unauthorised'
    : wordOf(at);
}

const SHOWN_MAX = 8;

function usesPhrase(observations: readonly Observation[]): string {
  const known = observations.flatMap(({ used }) => used ?? []);
  if (known.length === 0 || observations[0]?.outcome !== 'granted') return '';
  const shown = [...known].sort((a, b) => a - b).slice(0, SHOWN_MAX);
  const more = known.length > SHOWN_MAX ? ', …' : '';
  return ` (usesConsumed ${shown.join(', ')}${more})`;
}
