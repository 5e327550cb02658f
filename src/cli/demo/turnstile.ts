import { setTimeout as wait } from 'node:timers/promises';
import { TicketscanError } from '../../core/errors.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH } from '../../http/scan-paths.ts';
import { readWithJsqr } from '../../mint/read/jsqr.ts';
import { loadPictures } from '../../mint/read/load-pictures.ts';

/** What a device shows and does after an answer (section 2.4). */
export interface TurnstileState {
  readonly httpStatus: number;
  readonly open: boolean;
  readonly relay: 'IN' | 'OUT';
  readonly openSeconds: number;
  readonly name: string;
  readonly note: string;
}

const SERIAL = 'DEMO-0001';
const READER = 0;
/** The advised Wait Time of a controller, 30 in units of 0.1 s. */
const WAIT_TIME_MS = 3000;

/** A turnstile as an integrator has it on the desk: a camera that reads images, and a network connection. */
export class DemoTurnstile {
  readonly #baseUrl: string;
  readonly #key: string;

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  /** Reads the QR code in an image file. @throws TicketscanError `usage` when there is none */
  async look(imageFile: string): Promise<string> {
    for await (const { picture } of loadPictures(imageFile)) {
      const code = readWithJsqr(picture);
      if (code !== undefined) return code;
    }
    throw new TicketscanError('usage', `${imageFile} shows no QR code.`);
  }

  /** Posts a code as the documented controller does. */
  async present(code: string): Promise<TurnstileState> {
    const card = Buffer.from(code).toString('base64');
    const response = await this.#post(HARDWARE_PATHS.consume, {
      Card: card,
      Serial: SERIAL,
      Reader: READER,
    });
    const answer = (await response.json()) as Record<string, string>;
    return {
      httpStatus: response.status,
      open: answer['AcsRes'] === '1',
      relay: answer['ActIndex'] === '1' ? 'OUT' : 'IN',
      openSeconds: Number(answer['Time']),
      name: answer['Name'] ?? '',
      note: answer['Note'] ?? '',
    };
  }

  /** True when the server answered with the heartbeat's own key. */
  async heartbeat(): Promise<boolean> {
    const key = String(Date.now());
    const response = await this.#post(HEARTBEAT_PATH, { Key: key, Serial: SERIAL, Ver: 'demo' });
    return ((await response.json()) as { Key?: unknown }).Key === key;
  }

  async #post(path: string, body: object): Promise<Response> {
    return fetch(`${this.#baseUrl}${path}?key=${this.#key}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(WAIT_TIME_MS),
    });
  }
}

/** People pass one after the other. */
export async function someoneWalks(io: { readonly stdoutIsTty: boolean }): Promise<void> {
  if (io.stdoutIsTty) await wait(600);
}
