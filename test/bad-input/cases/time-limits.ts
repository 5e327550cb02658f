import type { Case } from './case.ts';
import { CODES } from './world.ts';

const BODY = `{"ticketCode":"${CODES.fresh}"}`;
const HEAD = `POST /scan/consume HTTP/1.1\r\nHost: gate\r\nx-api-key: ‹api›\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n`;
const CHUNKED = `${HEAD.replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')}${BODY.length.toString(16)}\r\n${BODY}\r\n`;

const CARD = `{"Card":"${btoa(CODES.fresh)}"}`;
const DEVICE_HEAD = `POST /scan/hw/consume?key=‹hw› HTTP/1.1\r\nHost: gate\r\nContent-Length: ${CARD.length}\r\n\r\n`;

/** Requests that stop in the middle: they are given up in time, and never decided. */
export function timeLimits(): Case[] {
  const cuts = (whole: string, count: number) =>
    Array.from({ length: count }, (_, index) =>
      whole.slice(0, Math.max(1, Math.floor((whole.length * index) / count))),
    );
  const unfinished = [
    ...cuts(HEAD, 20),
    ...cuts(BODY, 20).map((part) => HEAD + part),
    HEAD,
    ...cuts(CHUNKED, 20),
    CHUNKED,
    `${CHUNKED}0\r\n`,
  ];
  const whole = [...new Set(unfinished)];
  const fromDevice = cuts(CARD, 5).map(
    (part): Case => ({
      says: `device: stops after ${part.length} bytes of the body`,
      bytes: DEVICE_HEAD + part,
      expect: 'hw_timeout',
    }),
  );
  return [
    ...whole.map(
      (bytes): Case => ({
        says: `stops after ${bytes.length} bytes`,
        bytes,
        expect: ['http_timeout', 'closed'],
      }),
    ),
    ...fromDevice,
  ];
}
