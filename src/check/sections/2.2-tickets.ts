import type { CheckCase } from '../cases/case.ts';
import { USES_OF_KIND } from '../deployment/target.ts';
import { describeAnswer, REST, SCANS, VALIDATES } from '../facts/exchange.ts';
import { show } from '../facts/json.ts';
import { read } from '../facts/reading.ts';
import { expectFields } from '../judging/expect.ts';
import { judging, on } from '../samples/matrix.ts';
import { keyFor } from '../samples/samples.ts';

/** Kinds that say how many uses they have. */
const COUNTED = ['single', 'multi', 'permanent', 'hundred'] as const;

/** Section 2.2: ticket types and the form of ticket codes. */
export const TICKET_CASES: readonly CheckCase[] = [
  {
    id: '2.2/ticket-type',
    requirement: 'ticketType is `single` for a single ticket and `multi` for every card.',
    cells: COUNTED.flatMap((kind) =>
      judging([kind], REST, (exchange) => {
        expectFields(exchange, { ticketType: kind === 'single' ? 'single' : 'multi' });
      }).map((cell) => ({ ...cell, variant: kind })),
    ),
  },
  {
    id: '2.2/uses-allowed',
    states: ['the fact usesAllowed'],
    requirement:
      'A single ticket allows 1 use, a multi-use card 2 to 100, a permanent card 9999; every endpoint shows that.',
    cells: COUNTED.flatMap((kind) =>
      judging([kind], SCANS, (exchange, scan) => {
        const [least, most] = USES_OF_KIND[kind];
        const { allowed } = read(exchange.answer);
        if (allowed !== undefined && allowed >= least && allowed <= most) return;
        const range = least === most ? `${least}` : `${least} to ${most}`;
        scan.fail(`usesAllowed: ${range}`, `usesAllowed: ${show(allowed)}`, exchange, [
          'usesAllowed',
          'Note',
        ]);
      }).map((cell) => ({ ...cell, variant: kind })),
    ),
  },
  {
    id: '2.2/answer-at-the-end-of-a-permanent-card',
    level: 'unstated',
    requirement: 'What a permanent card gets that was used 9999 times.',
    // only asked: a server that lets it in would change it
    cells: on(VALIDATES, (endpoint) => ({
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
