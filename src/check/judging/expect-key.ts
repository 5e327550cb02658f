import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { type Endpoint, isRest } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { Deviation } from './deviation.ts';

/** Notes that say something about a ticket: a server that sends one has accepted the key. */
const NOTES_ON_TICKETS: readonly string[] = [
  DENIAL_NOTES.exhausted,
  DENIAL_NOTES.expired,
  DENIAL_NOTES.unknown,
  DENIAL_NOTES.notYetValid,
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
  const json = isRecord(answer.json) ? answer.json : {};
  const isGrant = String(json['AcsRes']) === '1' || json['valid'] === true;
  const isDenial = answer.status >= 400 || json['AcsRes'] === '0';
  const isConfirmed = endpoint === 'heartbeat' && answer.status < 400 && 'Key' in json;
  const isAboutTicket = NOTES_ON_TICKETS.includes(String(json['Note']));
  if (!isGrant && isDenial && !isConfirmed && !isAboutTicket) return;
  throw new Deviation(
    `401, or AcsRes "0" with nothing about the ticket`,
    describeAnswer(answer),
    exchange,
  );
}

/** Neither a success status nor a result about the ticket: how a disabled key is refused is not shown. */
export function expectNotAccepted(exchange: Exchange): void {
  const { answer } = exchange;
  const json = isRecord(answer.json) ? answer.json : {};
  if (answer.status >= 400 && json['valid'] !== true && json['status'] !== 'exhausted') return;
  throw new Deviation('the key refused (4xx)', describeAnswer(answer), exchange);
}
