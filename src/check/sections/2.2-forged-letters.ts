import type { CheckCase } from '../cases/case.ts';
import { NotApplicable } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { DENIAL_NOTES } from '../facts/device-answer.ts';
import { oneLetterOff, SEGMENTS, type Segment } from '../facts/tamper.ts';
import { Deviation } from '../judging/deviation.ts';
import { expectFields } from '../judging/expect.ts';
import { isDevice, SCANS, type ScanEndpoint } from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';
import { baitFor, keyFor, scopedKeyFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

/** Letters of a segment that are changed on an endpoint, at most; of a longer segment every second, every third and so on. */
const LETTERS_MAX = 64;
/** Requests under way at a time. */
const AT_ONCE = 16;
const FORGED = { valid: false, status: 'rejected', reason: 'invalid_ticket' } as const;

/** Section 2.2: every letter of a code changed alone. */
export const FORGED_LETTER_CASES: readonly CheckCase[] = SEGMENTS.map(anyLetterCase);

/** A display's text shows whether the signature was verified, also where the ticket is used up. @throws Deviation */
export function expectForged(exchange: Exchange, endpoint: ScanEndpoint): void {
  expectFields(exchange, isDevice(endpoint) ? { AcsRes: '0', Note: DENIAL_NOTES.forged } : FORGED);
}

function anyLetterCase(segment: Segment): CheckCase {
  return {
    id: `2.2/forged-any-${segment}-letter`,
    requirement: `A code in which any one letter of the ${segment} is another one is rejected as \`invalid_ticket\`, and opens no door.`,
    cause: `The signature does not cover the whole code, or is compared in part.`,
    cells: on(SCANS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      ...baitFor(endpoint, 2),
      async run(scan) {
        const codes = oneLetterOff(scan.bait(), segment, scan.bait(1));
        if (codes.length === 0) return new NotApplicable('codes of this form have no such segment');
        const step = Math.ceil(codes.length / LETTERS_MAX);
        // the endpoints begin at different letters: together they cover more
        const first = SCANS.indexOf(endpoint) % step;
        const chosen = [...codes.entries()].filter(([at]) => at % step === first);
        const keys = keysFor(segment, endpoint, scan);
        for (let from = 0; from < chosen.length; from += AT_ONCE)
          await Promise.all(
            chosen.slice(from, from + AT_ONCE).map(async ([at, code]) => {
              const key = keys[at % keys.length];
              expectLetterSeen(await scan.askForged(endpoint, code, key), endpoint, at);
            }),
          );
        return step === 1 ? undefined : `${chosen.length} of ${codes.length} letters were changed`;
      },
    })),
  };
}

/** Two keys are limited half as soon as one. Which event a changed identifier names, the scope could ask first. */
function keysFor(segment: Segment, endpoint: ScanEndpoint, scan: Scan): readonly KeyName[] {
  const scoped = scopedKeyFor(endpoint);
  const isInScope = segment === 'signature' && scan.hasKey(scoped);
  return isInScope ? [keyFor(endpoint), scoped] : [keyFor(endpoint)];
}

function expectLetterSeen(exchange: Exchange, endpoint: ScanEndpoint, at: number): void {
  try {
    expectForged(exchange, endpoint);
  } catch (error) {
    if (!(error instanceof Deviation)) throw error;
    const observed = `${error.observed}, where letter ${at + 1} is changed`;
    throw new Deviation(error.expected, observed, exchange);
  }
}
