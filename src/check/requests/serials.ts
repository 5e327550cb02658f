import { endpointAt } from './endpoint.ts';
import type { RequestSpec } from './exchange.ts';

/** The device that reads, where a case does not say which. */
export const ANY_DEVICE = 'CHECK-0001';
const ANY_SERIAL = `"Serial":"${ANY_DEVICE}"`;

/**
 * Lets another device read where a card comes again at `/scan/hw/consume`. A service may take a second read of a card by the same
 * device within some seconds for a repeat of the first, which counts no use.
 */
export class Serials {
  readonly #reads = new Map<string, number>();

  /** @returns the request, with a serial that has not read its card before; as it is where the case names the device */
  ownSerial(spec: RequestSpec): RequestSpec {
    const { body } = spec;
    if (endpointAt(spec) !== 'hw/consume' || typeof body !== 'string') return spec;
    if (!body.includes(ANY_SERIAL)) return spec;
    const read = (this.#reads.get(body) ?? 0) + 1;
    this.#reads.set(body, read);
    const serial = `"Serial":"CHECK-${String(read).padStart(4, '0')}"`;
    return { ...spec, body: body.replace(ANY_SERIAL, serial) };
  }
}
