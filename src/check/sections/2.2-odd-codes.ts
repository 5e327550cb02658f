import { type CheckCase, NotApplicable } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { withSkippedCharacters } from '../facts/tamper.ts';
import { Deviation } from '../judging/deviation.ts';
import { isDevice, SCANS, type ScanEndpoint } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { baitFor, keyFor, scopedKeyFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

/** A code of this length is still read; a longer one may be refused for its length. */
const READ_CHARACTERS_MAX = 1000;
const LENGTHS = [300, READ_CHARACTERS_MAX, 2000, 10_000] as const;
/** Statuses of a request that is too long as a whole, or in a line of it. */
const TOO_LONG = [413, 431];
const ODD_CODES = [
  ['letters outside of ASCII', 'ÄÖÜ.tkt_żółć.ñ'],
  ['letters outside of the basic plane', '🎫.tkt_🎫.🎫'],
  ['another direction of writing', 'كود.tkt_التذكرة.توقيع'],
  ['control characters', 'A\0\u0001.tkt_\u0007\u001b.\u007f'],
  ['half a surrogate pair', 'A.tkt_\ud83c.B'],
  ['2,000 letters outside of ASCII', `A.tkt_${'ß'.repeat(2000)}.B`],
  ['10,000 characters', `A.tkt_${'a'.repeat(10_000)}.B`],
  ['2,000 dots', '.'.repeat(2000)],
  ['quotes and brackets', `A'";--.tkt_%00../\${x}<b>.{{B}}`],
] as const;

/** Section 2.2: codes that a lenient decoder reads, and codes that no ticket has. */
export const ODD_CODE_CASES: readonly CheckCase[] = [
  {
    id: '2.2/forged-skipped-character',
    requirement:
      'A code with a space, a line break, `=` or another foreign character inside it is damaged: it is rejected as `invalid_ticket`, and opens no door.',
    cause: 'A decoder skips what is not in its alphabet, and only what it decodes is verified.',
    cells: on(SCANS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      ...baitFor(endpoint, 1),
      async run(scan) {
        const codes = withSkippedCharacters(scan.bait(), SCANS.indexOf(endpoint));
        if (codes.length === 0) return new NotApplicable('codes of this form have no segments');
        const key = quieterKey(scan, endpoint);
        await Promise.all(
          codes.map(async ({ code, segment, what }) => {
            const exchange = await scan.askForged(endpoint, code, key);
            // the event is derived from the code: the scope may be asked before the signature
            const mayBeOutside = segment !== 'signature' && key !== keyFor(endpoint);
            expectDamaged(exchange, endpoint, { what, mayBeOutside });
          }),
        );
        return undefined;
      },
    })),
  },
  {
    id: '2.2/forged-long-code',
    requirement:
      'A forged code of up to 1,000 characters is `invalid_ticket` or gets 400; a longer one may get 413 or 431 too.',
    cause: 'A long code ends in a column, a buffer or an expression that is too small for it.',
    cells: on(SCANS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      ...baitFor(endpoint, 1),
      async run(scan) {
        await Promise.all(
          LENGTHS.map(async (length) => {
            const code = scan.bait().padEnd(length, 'A');
            const exchange = await scan.askAside(endpoint, code, quieterKey(scan, endpoint));
            const statuses = [400, ...(length > READ_CHARACTERS_MAX ? TOO_LONG : [])];
            expectDamaged(exchange, endpoint, { what: `${length} characters`, statuses });
          }),
        );
      },
    })),
  },
  {
    id: '7.1/no-500-for-any-code',
    requirement:
      '500 is for unexpected errors: no code gets one, however long and of whatever characters, and none of them opens a door.',
    cause: 'An exception of a decoder, a database or a comparison is not handled.',
    cells: on(SCANS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      async run(scan) {
        await Promise.all(
          ODD_CODES.map(async ([what, code]) => {
            const exchange = await scan.askAside(endpoint, code, quieterKey(scan, endpoint));
            const { status, json } = exchange.answer;
            const isError = status >= 500 || (isRecord(json) && json['Note'] === 'Serverfehler');
            if (isError || isGrant(exchange)) fail(exchange, 'a refusal without a 5xx', what);
          }),
        );
      },
    })),
  },
];

/** Most requests of a run have the key for all events: those that any key may send go with the other one. */
function quieterKey(scan: Scan, endpoint: ScanEndpoint): KeyName {
  const scoped = scopedKeyFor(endpoint);
  return scan.hasKey(scoped) ? scoped : keyFor(endpoint);
}

interface Damage {
  readonly what: string;
  readonly mayBeOutside?: boolean;
  /** With which it may be refused too. */
  readonly statuses?: readonly number[];
}

function expectDamaged(exchange: Exchange, endpoint: ScanEndpoint, damage: Damage): void {
  const { what, mayBeOutside = false, statuses = [] } = damage;
  const { json, status } = exchange.answer;
  const answer = isRecord(json) ? json : {};
  const reasons = ['invalid_ticket', ...(mayBeOutside ? ['event_not_allowed'] : [])];
  const notes = [DENIAL_NOTES.forged, ...(mayBeOutside ? [DENIAL_NOTES.outOfScope] : [])];
  const isRefused = isDevice(endpoint)
    ? answer['AcsRes'] === '0' && notes.includes(String(answer['Note']) as (typeof notes)[number])
    : answer['valid'] === false && reasons.includes(String(answer['reason']));
  if (isRefused || (statuses.includes(status) && !isGrant(exchange))) return;
  const named = isDevice(endpoint)
    ? `AcsRes "0", Note ${notes.join(' or ')}`
    : reasons.join(' or ');
  fail(exchange, [named, ...statuses.map((one) => `HTTP ${one}`)].join(', or '), what);
}

function isGrant({ answer: { json } }: Exchange): boolean {
  return isRecord(json) && (json['valid'] === true || String(json['AcsRes']) === '1');
}

function fail(exchange: Exchange, expected: string, what: string): never {
  throw new Deviation(expected, `${describeAnswer(exchange.answer)}, with ${what}`, exchange);
}
