import { type ServerResponse, STATUS_CODES } from 'node:http';
import { accessController } from '../devices/access-controller.ts';
import { deny } from '../devices/device-answer.ts';
import { send } from './exchange.ts';
import { HARDWARE_PREFIX } from './scan-paths.ts';

export type RefusalStatus = 400 | 404 | 405 | 408 | 431;

/** An answer that is given before any key is looked at. */
export interface Refusal {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/**
 * Refuses a request for what it is: an unknown path, another method, broken HTTP. Below `/scan/hw/` somebody tries to reach
 * a device's endpoint, and gets the documented model's denial (section 7.3).
 * @param target path and query; undefined when they are not known
 * @param always200 the setting for controllers that ignore the body of any answer but a 200
 */
export function refusalOf(
  status: RefusalStatus,
  target: string | undefined,
  always200: boolean,
): Refusal {
  if (!target?.startsWith(HARDWARE_PREFIX)) {
    const text = JSON.stringify({ message: STATUS_CODES[status] });
    return { status, contentType: 'application/json; charset=utf-8', text };
  }
  const { contentType } = accessController;
  const text = accessController.answer(deny('missing_ticket_code'));
  return { status: always200 ? 200 : status, contentType, text };
}

/** Sends a refusal as the answer to a request whose head was read. */
export function refuse(
  response: ServerResponse,
  status: RefusalStatus,
  always200: boolean,
  headers?: Readonly<Record<string, string>>,
): void {
  const refusal = refusalOf(status, response.req.url, always200);
  send({ response }, refusal.status, refusal.contentType, refusal.text, headers);
}
