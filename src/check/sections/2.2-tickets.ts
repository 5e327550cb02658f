import type { CheckCase } from '../cases/case.ts';
import { judging, on } from '../cases/matrix.ts';
import { usesInNote } from '../facts/device-answer.ts';
import { countIn, expectFields } from '../judging/expect.ts';
import { DEVICE, LOOKS, REST } from '../requests/endpoint.ts';
import { describeAnswer } from '../requests/exchange.ts';
import { type GoodKind, keyFor } from '../samples/samples.ts';

/** Section 2.2: ticket types and the form of ticket codes. */
export const TICKET_CASES: readonly CheckCase[] = [
  typeCase('single', 'A single ticket has ticketType `single`.', 'single'),
  typeCase('multi', 'A multi-use card has ticketType `multi`.', 'multi'),
  typeCase('permanent', 'A permanent card has ticketType `multi`.', 'multi'),
  usesCase('single', 'A single ticket allows 1 use.', 1, 1),
  usesCase('multi', 'A multi-use card allows 2 to 100 uses.', 2, 100),
  usesCase('permanent', 'A permanent card allows 9999 uses.', 9999, 9999),
  {
    id: '2.2/card-of-100',
    requirement: 'A multi-use card may have up to 100 uses: a card of 100 says so.',
    cause: 'The number of uses is cut, or kept in a field that is too small.',
    cells: [
      ...judging(['hundred'], REST, (exchange) => {
        expectFields(exchange, { ticketType: 'multi', usesAllowed: 100 });
      }),
      ...judging(['hundred'], DEVICE, (exchange, scan) => {
        const { AcsRes, Note } = expectFields(exchange, { AcsRes: '1' });
        if (usesInNote(Note)?.allowed !== 100)
          scan.fail('AcsRes: "1", Note: (<used>/100)', `AcsRes: ${AcsRes}, Note: ${Note}`);
      }),
    ],
  },
  {
    id: '2.2/answer-at-the-end-of-a-permanent-card',
    level: 'unstated',
    requirement: 'What a permanent card gets that was used 9999 times.',
    cause: 'A permanent card has unlimited uses, and usesAllowed 9999: the end is not described.',
    // only asked: a server that lets it in would change it
    cells: on(LOOKS, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { permanentEnded: 1 },
      run: async (scan) =>
        describeAnswer((await scan.ask(endpoint, scan.ticket('permanentEnded').code)).answer),
    })),
  },
  {
    id: '2.2/code-form',
    level: 'unstated',
    tickets: { single: 1 },
    requirement:
      'A ticket code has three segments: a prefix, an identifier that starts with `tkt_`, and a signature.',
    cause: 'The codes of this deployment have another form than the documented sample.',
    async run(scan) {
      const segments = scan.ticket('single').code.split('.');
      const sample = segments.length === 3 && segments[1]?.startsWith('tkt_');
      return sample
        ? `as in the documented sample, with prefix ${segments[0]}`
        : `${segments.length} segments, unlike the documented sample`;
    },
  },
  {
    id: '2.2/identifier-is-the-ticket-id',
    level: 'observed',
    keys: ['rest'],
    tickets: { single: 1 },
    requirement: 'In the documented sample the middle segment of a code is the ticketId.',
    cause: 'The code carries another identifier than the results.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const segments = code.split('.');
      const exchange = await scan.validate(code);
      if (segments.length !== 3) return 'the code has another form than the sample';
      expectFields(exchange, { ticketId: segments[1] });
      return undefined;
    },
  },
];

function typeCase(kind: GoodKind, requirement: string, ticketType: string): CheckCase {
  return {
    id: `2.2/${kind}-type`,
    requirement,
    cause: 'The type is derived from something else than what the ticket was sold as.',
    cells: judging([kind], REST, (exchange) => {
      expectFields(exchange, { ticketType });
    }),
  };
}

function usesCase(kind: GoodKind, requirement: string, least: number, most: number): CheckCase {
  return {
    id: `2.2/${kind}-uses-allowed`,
    requirement,
    cause: 'usesAllowed is stored or shown wrongly for this type.',
    cells: judging([kind], REST, (exchange, scan) => {
      const allowed = countIn(exchange, 'usesAllowed');
      const range = least === most ? `${least}` : `${least} to ${most}`;
      if (allowed < least || allowed > most)
        scan.fail(`usesAllowed: ${range}`, `usesAllowed: ${allowed}`);
    }),
  };
}
