import { type Case, HEADS } from './case.ts';
import { CODES } from './world.ts';

const LIMIT = 8192;
const FITS = [8000, 8190, 8191, LIMIT];
const TOO_LONG = [
  LIMIT + 1,
  LIMIT + 2,
  8300,
  9000,
  10_000,
  16_383,
  16_384,
  16_385,
  20_000,
  32_768,
  65_536,
];

const PADDINGS: Record<string, (body: string, length: number) => string> = {
  'spaces behind': (body, length) => body + ' '.repeat(length - body.length),
  'spaces in front': (body, length) => ' '.repeat(length - body.length) + body,
  'line ends behind': (body, length) => body + '\n'.repeat(length - body.length),
  'a long member': (body, length) =>
    `${body.slice(0, -1)},"a":"${'x'.repeat(length - body.length - 7)}"}`,
  'a long name': (body, length) =>
    `${body.slice(0, -1)},"${'x'.repeat(length - body.length - 5)}":1}`,
};

function chunked(head: string, body: string, size: number): string {
  const chunks: string[] = [];
  for (let at = 0; at < body.length; at += size) {
    const chunk = body.slice(at, at + size);
    chunks.push(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  }
  return `${head.replace('Content-Length: @', 'Transfer-Encoding: chunked')}${chunks.join('')}0\r\n\r\n`;
}

/** A body of 8 KiB is read, one byte more is not, however it comes. */
export function sizes(): Case[] {
  const rest = `{"ticketCode":"${CODES.fresh}"}`;
  const card = `{"Card":"${btoa(CODES.fresh)}"}`;
  return [...FITS, ...TOO_LONG].flatMap((length) => {
    const fits = length <= LIMIT;
    return Object.entries(PADDINGS).flatMap(([how, pad]): Case[] => {
      const restBody = pad(rest, length);
      const says = `${length} bytes with ${how}`;
      const to = fits ? ('validate' as const) : ('consume' as const);
      const hw = fits ? ('hw-validate' as const) : ('hw-consume' as const);
      const expect = fits ? 'validated' : 'missing_ticket_code';
      return [
        { says, to, bytes: restBody, expect },
        { says: `${says}, in chunks`, bytes: chunked(HEADS[to], restBody, 1000), expect },
        {
          says: `${says}, from a device`,
          to: hw,
          bytes: pad(card, length),
          expect: fits ? 'hw_granted' : 'hw_unreadable',
        },
      ];
    });
  });
}
