import { randomBytes } from 'node:crypto';
import type { RequestSpec } from '../../requests/exchange.ts';
import { cardOf, JSON_TYPE } from '../../requests/scan-request.ts';
import type { Target, TargetTicket } from '../../target/target.ts';
import { forge } from '../histories/forgery.ts';
import { isDevice, type KeyPlace, type Step, type TicketPlace } from '../histories/history.ts';

const PATHS = {
  validate: '/scan/validate',
  consume: '/scan/consume',
  'device-validate': '/scan/hw/validate',
  'device-consume': '/scan/hw/consume',
  heartbeat: '/scan/hw/heartbeat',
} as const;

export type HeartbeatBody = 'fields' | 'empty';

/** Writes the request of each step. Each heartbeat carries values of its own, so that an echo shows its origin. */
export class RequestWriter {
  readonly keys: Target['keys'];
  heartbeatBody: HeartbeatBody = 'fields';
  #heartbeats = 0;
  #unknownKey = '';
  /** How often each card was read. */
  readonly #reads = new Map<string, number>();
  #retries = new WeakMap<Step, string>();

  constructor(keys: Target['keys']) {
    this.keys = keys;
    this.changeUnknownKey();
  }

  /** A value that no service can know. What one history made a service remember of it must not help the next. */
  changeUnknownKey(): void {
    this.#unknownKey = `explore-${randomBytes(12).toString('hex')}`;
  }

  /** Retries of the group before are over. */
  startGroup(): void {
    this.#retries = new WeakMap();
  }

  /** What the repetitions of a step have in common; undefined where each is a request of its own. */
  retryOf(step: Step): string | undefined {
    if (!step.retry) return undefined;
    const name = this.#retries.get(step) ?? `CHECK-${randomBytes(6).toString('hex')}`;
    this.#retries.set(step, name);
    return name;
  }

  /** @param ticketAt the ticket at a place in this run */
  write(step: Step, ticketAt: (place: TicketPlace) => TargetTicket): RequestSpec {
    const key = this.keyAt(step.key);
    const path = PATHS[step.action];
    const code = step.card && codeOf(step.card, ticketAt);
    const body = this.#body(step, code);
    if (isDevice(step.action)) {
      const query: [string, string][] = key === undefined ? [] : [['key', key]];
      return { path, query, headers: [JSON_TYPE], body };
    }
    const retry = this.retryOf(step);
    const headers = [
      ...(key === undefined ? [] : [['x-api-key', key] as const]),
      ...(retry === undefined ? [] : [['Idempotency-Key', retry] as const]),
      JSON_TYPE,
    ];
    return { path, headers, body };
  }

  keyAt(place: KeyPlace): string | undefined {
    if (place === 'missing') return undefined;
    return place === 'unknown' ? this.#unknownKey : this.keys[place];
  }

  #body(step: Step, code: string | undefined): string {
    if (step.action === 'heartbeat') return this.#heartbeat();
    if (!isDevice(step.action))
      return JSON.stringify(code === undefined ? {} : { ticketCode: code });
    const card = code === undefined ? {} : { Card: cardOf(code) };
    return JSON.stringify({ ...card, Serial: this.retryOf(step) ?? this.#device(code), Reader: 0 });
  }

  /** Each read of a card is another device's: two by one device may be one read that was sent again. */
  #device(code = ''): string {
    const reads = (this.#reads.get(code) ?? 0) + 1;
    this.#reads.set(code, reads);
    return `CHECK-${String(reads).padStart(4, '0')}`;
  }

  #heartbeat(): string {
    if (this.heartbeatBody === 'empty') return '';
    this.#heartbeats += 1;
    const number = String(this.#heartbeats).padStart(6, '0');
    return JSON.stringify({ Key: `BEAT-${number}`, Serial: `CHECK-${number}`, Status: '11' });
  }
}

function codeOf(
  { ticket, forged }: NonNullable<Step['card']>,
  ticketAt: (place: TicketPlace) => TargetTicket,
): string {
  const { code } = ticketAt(ticket);
  return forged === undefined ? code : forge(code, forged);
}
