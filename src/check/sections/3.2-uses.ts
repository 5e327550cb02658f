import type { Cell, CheckCase } from '../cases/case.ts';
import { Undecided } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import { isRecord } from '../facts/json.ts';
import { expectFields } from '../judging/expect.ts';
import {
  CONSUMES,
  REST,
  type RestEndpoint,
  SCANS,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import {
  expectUses,
  USED_KINDS,
  USES_TO_EXHAUST_MAX,
  type Uses,
  usesOf,
  usesSamplesOf,
} from '../samples/uses.ts';

const FACTS = ['ticketId', 'ticketType', 'usesAllowed'];
const FACTS_OF_A_GRANT = [...FACTS, 'validFrom', 'validUntil', 'holder'];

/** Section 3.2: what every endpoint answers about a ticket after each of its uses. */
export const USES_CASES: readonly CheckCase[] = [
  {
    id: '3.2/each-use-is-counted',
    requirement:
      'Each use raises the count of its ticket by 1, for every kind of ticket; every endpoint shows that count.',
    cause:
      'A kind of ticket is not counted, counted twice or from another number, or an endpoint shows an old count.',
    cells: throughUses(SCANS, ({ answers, allowed }, endpoint) => {
      for (const one of answers) if (one.endpoint === endpoint) expectUses(one, allowed);
    }),
  },
  {
    id: '2.3/facts-stay-through-uses',
    requirement: 'A use changes no other field of a ticket than its uses.',
    cause: 'After a use the fields are read from the use, or from another ticket.',
    cells: throughUses<RestEndpoint>(REST, expectSameFacts),
  },
  {
    id: '3.2/card-up-to-its-limit',
    requirement: 'A multi-use card is consumed exactly as often as it has uses left.',
    cause: 'The counter is off by one at the limit.',
    cells: on(CONSUMES, (endpoint) => ({
      samples: usesSamplesOf('multi', endpoint),
      async run(scan) {
        const { answers, allowed } = await usesOf(scan, 'multi', endpoint);
        for (const one of answers) {
          scan.judges(one.exchange);
          if (one.endpoint === endpoint) expectUses(one, allowed);
        }
        if (answers.some(({ isGranted }) => !isGranted)) return undefined;
        return new Undecided(
          `the card has ${allowed} uses; a "multi" ticket with at most ${USES_TO_EXHAUST_MAX} left shows its end`,
        );
      },
    })),
  },
];

/** Judges what each endpoint answered about the uses of each kind of ticket, with the first use on either consume endpoint. */
function throughUses<E extends ScanEndpoint>(
  endpoints: readonly E[],
  judge: (uses: Uses, endpoint: E) => void,
): Cell[] {
  return endpoints.flatMap((endpoint) =>
    USED_KINDS.map((kind) => ({
      endpoint,
      variant: kind,
      samples: CONSUMES.flatMap((first) => usesSamplesOf(kind, first)),
      async run(scan) {
        for (const first of CONSUMES) {
          const uses = await usesOf(scan, kind, first);
          for (const { exchange } of uses.answers) scan.judges(exchange);
          judge(uses, endpoint);
        }
      },
    })),
  );
}

function expectSameFacts(uses: Uses, endpoint: RestEndpoint): void {
  const answers = uses.answers.filter(
    (one) => one.endpoint === endpoint || one.endpoint === 'validate',
  );
  const first = answers[0]?.exchange.answer.json;
  if (!isRecord(first)) return;
  for (const { exchange, isGranted } of answers.filter((one) => one.endpoint === endpoint)) {
    const names = isGranted ? FACTS_OF_A_GRANT : FACTS;
    expectFields(exchange, Object.fromEntries(names.map((name) => [name, first[name]])));
  }
}
