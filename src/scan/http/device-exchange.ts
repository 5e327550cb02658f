import type { Operation } from '../../core/decision.ts';
import type { DoorSettings } from '../../core/records.ts';
import type { EncodedDecision, Refusal } from '../../core/scan-requests.ts';
import type { FileModel, FileRead, FilledAnswer } from '../../device-files/file-model.ts';
import type { Message } from '../../device-files/source.ts';
import { addressOfRequest } from '../../kit/client-address.ts';
import { keptDeviceText } from '../../kit/text.ts';
import {
  decisionIn,
  denialIn,
  deny,
  deviceAnswer,
  type NoteName,
} from '../devices/device-answer.ts';
import type { ReadByFile } from '../devices/device-files.ts';
import type { DeviceAnswer, DeviceModel, DeviceScan } from '../devices/device-model.ts';
import { UNREADABLE } from '../devices/device-model.ts';
import type { KeyAccess } from '../key-cache.ts';
import { type Exchange, type HttpDeps, reportUnreadable, send } from './exchange.ts';
import { readObject, readText } from './request-body.ts';
import { rememberSerial } from './request-log.ts';
import { statusOf } from './scan-result.ts';

/** A request as device files look at it. */
export function messageIn({ body, query, request: { headers } }: Exchange): Message {
  const text = typeof body === 'string' ? undefined : readText(body);
  const isJson = text !== undefined && typeof readObject(text, []) === 'object';
  return { text, isJson, query, headers };
}

/** The operation of a request that a file has read, or that no file reads. */
export function scanIn(read: FileRead | undefined): DeviceScan {
  if (!read) return UNREADABLE;
  return read.kind === 'scan' ? read.scan : { ...UNREADABLE, serial: read.serial };
}

/** How one device is answered: in the format of its model, or as its device file says. */
export interface DeviceAnswerer {
  /** The name of the model, for the log and the retry window. */
  readonly model: string;
  /** @param status of the decision */
  decided(status: number, decision: EncodedDecision, door: DoorSettings): FilledAnswer;
  refused(status: number, why: NoteName): FilledAnswer;
}

/** @param always200 the setting for controllers that ignore the body of any answer but a 200 */
export function modelAnswerer(
  model: DeviceModel,
  { reader }: DeviceScan,
  always200: boolean,
): DeviceAnswerer {
  const answered = (status: number, answer: DeviceAnswer): FilledAnswer => ({
    status: always200 ? 200 : status,
    contentType: model.contentType,
    text: model.answer(answer),
  });
  return {
    model: model.id,
    decided: (status, decision, door) => answered(status, deviceAnswer(decision, reader, door)),
    refused: (status, why) => answered(status, deny(why)),
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
  /** The serial for the log of requests, where it is not that of the scan. */
  readonly serial?: string | null;
}

/** An exchange with a device, in its own format. */
export class DeviceExchange {
  /** When the request was read, on `performance.now()`. */
  readonly sinceMs = performance.now();
  readonly #deps: HttpDeps;
  readonly #exchange: Exchange;
  #device: ReadDevice;

  constructor(deps: HttpDeps, exchange: Exchange, device: ReadDevice) {
    this.#deps = deps;
    this.#exchange = exchange;
    this.#device = device;
    this.#rememberSerial();
  }

  get address(): string {
    return addressOfRequest(this.#exchange.request, this.#deps.isTrustedProxy);
  }

  /** The serial of the card that was read or, in a heartbeat, of the device. */
  get #serial(): string | null {
    const { scan, serial = scan.serial } = this.#device;
    return serial;
  }

  /** Sets the format of the device from now on. */
  readAs(device: ReadDevice): void {
    this.#device = device;
    this.#rememberSerial();
  }

  /** Every refusal before a decision: by key or limit. */
  refuse(refusal: Refusal): void {
    const isLimit = 'retryAfterSeconds' in refusal;
    const status = isLimit ? 429 : 401;
    const { refusals, request } = this.#exchange;
    refusals?.report(status, request, { refusal, serial: this.#serial });
    const answer = this.#device.answerer.refused(
      status,
      isLimit ? 'too_many_requests' : 'key_refused',
    );
    this.send(answer, isLimit ? { 'retry-after': refusal.retryAfterSeconds } : undefined);
  }

  deny(status: number, why: NoteName): void {
    if (status === 400) reportUnreadable(this.#exchange, undefined);
    this.send(this.#device.answerer.refused(status, why));
  }

  send(
    { status, contentType, text }: FilledAnswer,
    headers?: Readonly<Record<string, string | number>>,
  ): void {
    send(this.#exchange, status, contentType, text, headers);
  }

  /** @param findKey looks the key up again @throws when the outcome is unknown */
  async decide(
    key: KeyAccess,
    operation: Operation,
    findKey: () => Promise<KeyAccess | undefined>,
  ): Promise<void> {
    const { scan, answerer } = this.#device;
    const { ticketCode, serial, reader, sharesSerial } = scan;
    const shared = sharesSerial && { sharesSerial };
    const device = { model: answerer.model, serial, reader, ...shared };
    const { sinceMs } = this;
    const answer = await this.#deps.service.scan({ key, operation, ticketCode, device, sinceMs });
    if (answer.kind !== 'decided') return this.refuse(answer);
    const { decision } = answer;
    // For a device, an unknown ticket is a decision, not an unknown path.
    const status = decision.status === 'not_found' ? 200 : statusOf(decision);
    // Looked up again, because the batch may have shown that the key was changed meanwhile.
    // The use is registered by now: a database that fails just then must not keep the guest out.
    const { door } = (await findKey().catch(() => undefined)) ?? key;
    if (status === 403) this.#exchange.refusals?.report(status, this.#exchange.request);
    if (status === 400) {
      reportUnreadable(this.#exchange, 'fault' in decision ? decision.fault : undefined);
    }
    this.send(answerer.decided(status, decision, door));
  }

  #rememberSerial(): void {
    if (!this.#deps.log.isLevelEnabled('debug')) return;
    rememberSerial(this.#exchange.request, this.#serial);
  }
}

/** The message for answers of a file that use nothing of the request. */
export const NO_MESSAGE: Message = { text: undefined, isJson: false };

/** Records the contact with a device, and answers as its file says. */
export async function aliveByFile(
  deps: HttpDeps,
  device: DeviceExchange,
  key: KeyAccess,
  { model, read }: ReadByFile,
): Promise<void> {
  const serial = keptDeviceText(scanIn(read).serial ?? '');
  const firmware = read.kind === 'heartbeat' ? keptDeviceText(read.firmware) : '';
  const contact = { model: model.id, serial, address: device.address, firmware };
  const answered = await deps.service.heartbeat(key, contact);
  if (answered.kind !== 'alive') return device.refuse(answered);
  device.send(model.answer('heartbeat', {}, NO_MESSAGE));
}
