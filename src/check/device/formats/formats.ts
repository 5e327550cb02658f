import type { SeenRequest } from '../wire/seen-request.ts';
import { accessController } from './access-controller.ts';
import { basIp } from './bas-ip.ts';
import type { Format } from './format.ts';
import { rest } from './rest.ts';
import { vguang } from './vguang.ts';

/** `device` is hardware at the endpoints for hardware, `client` is own software at the REST endpoints. */
export type SubjectKind = 'device' | 'client';

/** The last one accepts any text, so it is tried last. */
const DEVICE_FORMATS: readonly Format[] = [accessController, basIp, vguang];

/** Names of the models of devices that can be judged. */
export const MODELS: readonly string[] = DEVICE_FORMATS.map(({ id }) => id);

/** The format of the subject: given by name, or detected from the first request that carries a card. */
export class KnownFormat {
  readonly #kind: SubjectKind;
  #format: Format | undefined;

  /**
   * @param model of the device, when it is known beforehand
   * @param file the format of a device file, in place of a known model
   */
  constructor(kind: SubjectKind, model: string | undefined, file?: Format | undefined) {
    this.#kind = kind;
    if (kind === 'client') this.#format = rest;
    else if (file !== undefined) this.#format = file;
    else if (model !== undefined) this.#format = DEVICE_FORMATS.find(({ id }) => id === model);
  }

  /** The documented model until a request shows another. */
  get current(): Format {
    return this.#format ?? (this.#kind === 'client' ? rest : accessController);
  }

  /** False until a request showed it or it was given by name. */
  get isKnown(): boolean {
    return this.#format !== undefined;
  }

  /** Learns from a request that carries a card. */
  learn(request: SeenRequest): void {
    this.#format ??= DEVICE_FORMATS.find((format) => format.read(request)?.code !== undefined);
  }
}
