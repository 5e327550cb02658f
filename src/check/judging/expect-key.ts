import { isRecord } from '../facts/json.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { type Endpoint, endpointAt, isRest } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { Deviation } from './deviation.ts';
import { expectFields } from './expect.ts';

/** What says something about a ticket, or confirms a heartbeat: a server that answers so has accepted the key. */
const ACCEPTING: readonly Outcome[] = [
  ...(['granted', 'confirmed', 'exhausted', 'expired', 'not_found', 'not_yet_valid'] as const),
];

/**
 * A missing or invalid key: 401 for own software (section 5). At devices 7.3 shows no status, so a denial or an error
 * is enough, as long as it says nothing about the ticket.
 * @throws Deviation when the key was accepted
 */
export function expectKeyRefused(exchange: Exchange, endpoint: Endpoint): void {
  const { answer } = exchange;
  if (isRest(endpoint)) {
    if (answer.status !== 401) throw new Deviation('HTTP 401', describeAnswer(answer), exchange);
    return;
  }
  const isDenial = answer.status >= 400 || (isRecord(answer.json) && answer.json['AcsRes'] === '0');
  if (isDenial && !ACCEPTING.includes(read(answer).outcome)) return;
  throw new Deviation(
    `401, or AcsRes "0" with nothing about the ticket`,
    describeAnswer(answer),
    exchange,
  );
}

/** The same for a disabled key: how own software is refused with it is not shown. */
export function expectDisabledKeyRefused(exchange: Exchange, endpoint: Endpoint): void {
  const { answer } = exchange;
  if (!isRest(endpoint)) {
    expectKeyRefused(exchange, endpoint);
    return;
  }
  if (answer.status >= 400 && !ACCEPTING.includes(read(answer).outcome)) return;
  throw new Deviation('the key refused (4xx)', describeAnswer(answer), exchange);
}

/** True when the ticket was let in, or the heartbeat confirmed. */
export function isAccepted({ answer }: Exchange): boolean {
  const { outcome } = read(answer);
  return outcome === 'granted' || outcome === 'confirmed';
}

/** @throws Deviation when the ticket was not let in, or the heartbeat not confirmed */
export function expectAccepted(exchange: Exchange): void {
  if (isAccepted(exchange)) return;
  const isBeat = endpointAt(exchange.request) === 'heartbeat';
  const expected = isBeat ? 'the heartbeat confirmed' : 'the ticket let in';
  const fields = ['valid', 'status', 'AcsRes', 'Key'];
  throw new Deviation(expected, describeAnswer(exchange.answer), exchange, fields);
}

/** A ticket of an event that the key may not scan. At devices it is enough that the door stays shut. */
export function expectOutOfScope(exchange: Exchange): void {
  const isOwnSoftware = isRest(endpointAt(exchange.request));
  expectFields(
    exchange,
    isOwnSoftware ? { valid: false, reason: 'event_not_allowed' } : { AcsRes: '0' },
  );
}
