import { type Cell, type CheckCase, NotApplicable } from '../cases/case.ts';
import {
  describeAnswer,
  type Exchange,
  isConsume,
  SCANS,
  type ScanEndpoint,
} from '../facts/exchange.ts';
import { Deviation } from '../facts/failures.ts';
import { type Outcome, read } from '../facts/reading.ts';
import { decoyFor, keyByTurns, keyFor, sampleOf } from '../samples/samples.ts';
import { RESPELLED_CODES, type Respelling, SURROUNDED_CODES } from '../stimuli/respelled-codes.ts';
import { saying } from '../stimuli/saying.ts';

/** Section 2.2: the same code in other spellings. */
export const RESPELLED_CODE_CASES: readonly CheckCase[] = [
  {
    id: '2.2/one-ticket-in-every-spelling',
    requirement:
      'A ticket that is used up is not let in by another spelling of its code: blanks and line ends around it make no other ticket.',
    buildsOn: ['2.2/forged-code', '3.2/exhausted-stays-exhausted'],
    cells: SURROUNDED_CODES.flatMap((surrounding, turn) =>
      SCANS.map((endpoint) => usedUpCell(surrounding, endpoint, turn)),
    ),
  },
];

/** What says that no ticket was found in the text; which event it names, a scope may ask first. */
const NO_CODE: readonly Outcome[] = [
  'invalid_ticket',
  'missing_ticket_code',
  'denied',
  'event_not_allowed',
];

/** Every spelling that is not the genuine code, on every endpoint: side by side, so that several keys share the work. */
export const RESPELLED_CELLS: readonly Cell[] = RESPELLED_CODES.flatMap((respelling, turn) =>
  SCANS.map((endpoint) => respelledCell(respelling, endpoint, turn)),
);

/** A code that is not the genuine one. Odd characters may be refused before anybody looks for a code. */
function respelledCell(
  { name, what, spell, isCodeInside }: Respelling,
  endpoint: ScanEndpoint,
  turn: number,
): Cell {
  return {
    endpoint,
    variant: name,
    keys: [keyFor(endpoint)],
    ...decoyFor(endpoint, 2),
    ...(isCodeInside && isConsume(endpoint) ? { uses: {} } : {}),
    async run(scan) {
      const code = spell(scan.decoy(), scan.decoy(1));
      if (code === undefined) return new NotApplicable('codes of this form cannot be written so');
      const exchange = await scan.askAside(endpoint, code, keyByTurns(scan, endpoint, turn));
      saying(what, () => expectOneOf(exchange, NO_CODE, 'invalid_ticket'));
      return undefined;
    },
  };
}

/** The ticket of a shared answer: whether a spelling of it is read is not said, and it has no use left. */
function usedUpCell({ name, what, spell }: Respelling, endpoint: ScanEndpoint, turn: number): Cell {
  const sample = sampleOf('exhausted', endpoint);
  return {
    endpoint,
    variant: name,
    samples: [sample],
    async run(scan) {
      await scan.sample(sample);
      const { code } = scan.ticketOf(sample, 'exhausted');
      const spelled = spell(code, code);
      if (spelled === undefined)
        return new NotApplicable('codes of this form cannot be written so');
      const exchange = await scan.askAside(endpoint, spelled, keyByTurns(scan, endpoint, turn));
      saying(what, () =>
        expectOneOf(exchange, ['exhausted', ...NO_CODE], 'exhausted or invalid_ticket'),
      );
      return undefined;
    },
  };
}

/** @throws Deviation for any other outcome */
function expectOneOf(exchange: Exchange, outcomes: readonly Outcome[], expected: string): void {
  if (outcomes.includes(read(exchange.answer).outcome)) return;
  throw new Deviation(expected, describeAnswer(exchange.answer), exchange);
}
