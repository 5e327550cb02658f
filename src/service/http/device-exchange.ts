import type { Operation } from '../../core/decision.ts';
import type { DoorSettings } from '../../core/records.ts';
import type { Refusal, ToldDecision } from '../../core/scan-batch.ts';
import type { FileModel, ToldAnswer } from '../../device-files/file-model.ts';
import type { Message } from '../../device-files/source.ts';
import { addressOfRequest } from '../../kit/client-address.ts';
import { deny, deviceAnswer, type NOTES } from '../devices/device-answer.ts';
import type { DeviceAnswer, DeviceModel, DeviceScan } from '../devices/device-model.ts';
import { decisionIn, denialIn } from '../devices/files/file-answer.ts';
import type { KeyAccess } from '../scan/key-cache.ts';
import type { HttpDeps } from './deps.ts';
import { type Exchange, send } from './exchange.ts';
import { rememberSerial } from './request-log.ts';
import { statusOf } from './scan-result.ts';

/** How one device is answered: in the format of its model, or as its device file says. */
export interface DeviceAnswerer {
  /** Of the model, for the log and the retry window. */
  readonly model: string;
  /** @param status of the decision */
  decided(status: number, decision: ToldDecision, door: DoorSettings): ToldAnswer;
  refused(status: number, why: keyof typeof NOTES): ToldAnswer;
}

/** @param always200 the setting for controllers that ignore the body of any answer but a 200 */
export function modelAnswerer(
  model: DeviceModel,
  { reader }: DeviceScan,
  always200: boolean,
): DeviceAnswerer {
  const told = (status: number, answer: DeviceAnswer): ToldAnswer => ({
    status: always200 ? 200 : status,
    contentType: model.contentType,
    text: model.answer(answer),
  });
  return {
    model: model.id,
    decided: (status, decision, door) => told(status, deviceAnswer(decision, reader, door)),
    refused: (status, why) => told(status, deny(why)),
  };
}

/** Its file names the status of each answer, because the status may be all that the device looks at. */
export function fileAnswerer(
  model: FileModel,
  { direction }: Pick<DeviceScan, 'direction'>,
  message: Message,
): DeviceAnswerer {
  return {
    model: model.id,
    decided: (_status, decision, door) => decisionIn(model, decision, { door, direction, message }),
    refused: (_status, why) => denialIn(model, why, message),
  };
}

/** A request as it was read, and how to answer it. */
export interface ReadDevice {
  readonly scan: DeviceScan;
  readonly answerer: DeviceAnswerer;
  /** For the log of requests, where it is not that of the scan. */
  readonly serial?: string | null;
}

/** An exchange with a device, in its own format. */
export class DeviceExchange {
  #scan: DeviceScan;
  #answerer: DeviceAnswerer;
  /** Of the card that was read or, in a heartbeat, of the device. */
  #serial: string | null;
  readonly #deps: HttpDeps;
  readonly #exchange: Exchange;

  constructor(
    deps: HttpDeps,
    exchange: Exchange,
    { scan, answerer, serial = scan.serial }: ReadDevice,
  ) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#scan = scan;
    this.#answerer = answerer;
    this.#serial = serial;
    this.#rememberSerial();
  }

  get address(): string {
    return addressOfRequest(this.#exchange.request, this.#deps.isTrustedProxy);
  }

  /** Sets the format of the device from now on. */
  readAs({ scan, answerer, serial = scan.serial }: ReadDevice): void {
    this.#scan = scan;
    this.#answerer = answerer;
    this.#serial = serial;
    this.#rememberSerial();
  }

  /** Every refusal before a decision: by key or limit. */
  refuse(refusal: Refusal): void {
    const { refusals, request } = this.#exchange;
    refusals?.count(refusal, request, this.#serial);
    if ('retryAfterSeconds' in refusal) {
      this.deny(429, 'too_many_requests', { 'retry-after': refusal.retryAfterSeconds });
    } else this.deny(401, 'key_refused');
  }

  deny(
    status: number,
    why: keyof typeof NOTES,
    headers?: Readonly<Record<string, string | number>>,
  ): void {
    this.tell(status, this.#answerer.refused(status, why), headers);
  }

  /** @param status of the outcome, for the log, whatever status the device is sent */
  tell(
    status: number,
    told: ToldAnswer,
    headers?: Readonly<Record<string, string | number>>,
  ): void {
    const { refusals, request, response } = this.#exchange;
    refusals?.note(status, request);
    send({ response }, told.status, told.contentType, told.text, headers);
  }

  /** @param findKey looks the key up again @throws when the outcome is unknown */
  async decide(
    key: KeyAccess,
    operation: Operation,
    findKey: () => Promise<KeyAccess | undefined>,
  ): Promise<void> {
    const { ticketCode, serial, reader, sharesSerial } = this.#scan;
    const shared = sharesSerial && { sharesSerial };
    const device = { model: this.#answerer.model, serial, reader, ...shared };
    const answer = await this.#deps.service.scan({ key, operation, ticketCode, device });
    if (answer.kind !== 'decided') return this.refuse(answer);
    const { decision } = answer;
    // For a device, an unknown ticket is a decision, not an unknown path.
    const status = decision.status === 'not_found' ? 200 : statusOf(decision);
    // Looked up again: the batch may have shown that somebody changed the key in the meantime.
    const { door } = (await findKey()) ?? key;
    this.tell(status, this.#answerer.decided(status, decision, door));
  }

  #rememberSerial(): void {
    if (!this.#deps.log.isLevelEnabled('debug')) return;
    rememberSerial(this.#exchange.request, this.#serial);
  }
}
