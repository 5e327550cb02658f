import { type Cell, type CheckCase, Inconclusive } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  isConsume,
  isDevice,
  REST,
  type RestEndpoint,
  SCANS,
  type ScanEndpoint,
} from '../facts/exchange.ts';
import { isRecord } from '../facts/json.ts';
import { expectFields } from '../judging/expect.ts';
import {
  endsOfFurtherKinds,
  endsOfFurtherSizes,
  FURTHER_KINDS,
  USES_OF_A_FURTHER_KIND,
  USES_OF_FURTHER_SIZES,
} from '../samples/card-ends.ts';
import { on } from '../samples/matrix.ts';
import { raceForUses } from '../samples/races.ts';
import { keyFor, REFUSED, REFUSED_AS_SUCH, sampleOf, scopedKeyFor } from '../samples/samples.ts';
import {
  expectCounted,
  expectUses,
  READERS,
  USED_KINDS,
  USES_TO_EXHAUST_MAX,
  type Uses,
  unused,
  usesOf,
  usesSamplesOf,
} from '../samples/uses.ts';

const FACTS = ['ticketId', 'ticketType', 'usesAllowed'];
const FACTS_OF_A_GRANT = [...FACTS, 'validFrom', 'validUntil', 'holder'];
const USES_OF_A_LONG_CARD = 100;
/** The uses of it that are taken at one moment, and the gates that want one. */
const LAST_USES = 4;
const GATES_AT_THE_END = 10;
/** After this, caches and locks of a few seconds have ended, and what is written behind an answer is written. */
const LATER_MS = 5100;
const SHOWN_AGAIN = [...REFUSED, 'forged', 'outOfScope'] as const;

/** Section 3.2: what every endpoint answers about a ticket after each of its uses, up to its end. */
export const USES_CASES: readonly CheckCase[] = [
  {
    id: '3.2/card-of-100-up-to-its-limit',
    requirement:
      'A card of 100 uses is consumed 100 times, the last by many gates at once: each use is counted and shown.',
    buildsOn: ['3.2/each-use-is-counted', '3.2/race', '5/own-event'],
    cells: on(CONSUMES, (endpoint) => ({
      samples: usesSamplesOf('hundred', endpoint),
      keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
      uses: { hundred: USES_OF_A_LONG_CARD },
      run: (scan) => useUp(scan, endpoint),
    })),
  },
  {
    id: '3.2/card-up-to-its-limit',
    buildsOn: ['2.2/forged-code'],
    states: ['uses'],
    phase: 'review',
    requirement:
      'A multi-use card is consumed exactly as often as it has uses left, whatever its size.',
    cells: [...on(CONSUMES, upToItsLimit), ...on(CONSUMES, furtherSizes)],
  },
  {
    id: '3.2/cards-of-other-kinds-up-to-their-limit',
    phase: 'review',
    requirement:
      'A card with a holder or a validity is consumed exactly as often as it has uses left, like any other.',
    buildsOn: ['3.2/each-use-is-counted', '3.2/card-up-to-its-limit'],
    cells: on(CONSUMES, furtherKinds),
  },
  {
    id: '3.2/each-use-is-counted',
    states: ['a look at uses', 'uses'],
    requirement:
      'Each use raises the count of its ticket by 1, for every kind of ticket; every endpoint shows that count.',
    buildsOn: [
      '4/good-ticket',
      '2.2/forged-code',
      '3.2/validate-changes-nothing',
      '3.2/card-up-to-its-limit',
    ],
    cells: throughUses(SCANS, ({ answers, allowed }, endpoint) => {
      for (const one of answers) if (one.endpoint === endpoint) expectUses(one, allowed);
    }),
  },
  {
    id: '2.3/facts-stay-through-uses',
    states: ['the fact holder'],
    requirement: 'A use changes no other field of a ticket than its uses.',
    cells: throughUses<RestEndpoint>(REST, expectSameFacts),
  },
  {
    id: '3.2/use-stays-taken',
    phase: 'review',
    requirement: 'A use stays taken: five seconds later the ticket has as many uses as before.',
    buildsOn: ['3.2/each-use-is-counted'],
    cells: [...on(CONSUMES, usedUpLater), ...on(CONSUMES, countedLater)],
  },
  {
    id: '3.2/refusal-stays',
    states: ['uses'],
    phase: 'review',
    requirement:
      'What was refused is refused five seconds later, for the same reason, and no refusal takes a use.',
    cells: on(SCANS, (endpoint) => ({
      samples: SHOWN_AGAIN.map((situation) => sampleOf(situation, endpoint)),
      ...(isConsume(endpoint) ? { uses: {} } : {}),
      async run(scan) {
        const samples = SHOWN_AGAIN.map((situation) => sampleOf(situation, endpoint));
        const asked = samples.filter((sample) => scan.has(sample));
        await Promise.all(asked.map((sample) => refusedLater(scan, sample, endpoint)));
        if (endpoint !== 'hw/consume' || !scan.hasKey('rest')) return;
        for (const situation of REFUSED_AS_SUCH)
          if (scan.has(sampleOf(situation, endpoint)))
            await expectNoUseTaken(scan, situation, endpoint);
      },
    })),
  },
];

/** Takes the rest of the uses with the key that has most requests left, by every reader in turn; the last of them go to many gates at once. */
async function useUp(scan: Scan, endpoint: ConsumeEndpoint) {
  const { answers, allowed } = await usesOf(scan, 'hundred', endpoint);
  if (allowed > USES_OF_A_LONG_CARD) return new Inconclusive(`the card has ${allowed} uses`);
  const { code } = scan.ticketOf(sampleOf('hundred', endpoint), 'hundred');
  const card = { code, allowed, used: answers.at(-1)?.used ?? 0 };
  const key = scopedKeyFor(endpoint);
  while (card.used < allowed - LAST_USES) {
    const reader = (card.used + 1) % READERS.length;
    await expectCounted(scan, card, endpoint, { key, reader });
  }
  await raceForUses(scan, card, { endpoint, gates: GATES_AT_THE_END, keys: [key] });
  const refusals: readonly (readonly [ScanEndpoint, KeyName])[] = [
    [endpoint, keyFor(endpoint)],
    ...SCANS.map((at) => [at, scopedKeyFor(at)] as const),
  ];
  for (const [at, key] of refusals)
    if (scan.hasKey(key)) await expectCounted(scan, card, at, { key });
  return undefined;
}

/** The card whose uses other cases follow. */
function upToItsLimit(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  return {
    samples: usesSamplesOf('multi', endpoint),
    keys: ['rest', 'hardware'],
    async run(scan) {
      const { answers, allowed } = await usesOf(scan, 'multi', endpoint);
      judgeEnd(scan, endpoint, { answers, allowed });
      if (answers.some(({ isGranted }) => !isGranted)) return undefined;
      return new Inconclusive(
        `the card has ${allowed} uses; a "multi" ticket with at most ${USES_TO_EXHAUST_MAX} left shows its end`,
      );
    },
  };
}

/** Cards of other sizes, which the run has used before. */
function furtherSizes(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  const samples = usesSamplesOf('multi', endpoint);
  return {
    variant: 'further-sizes',
    samples,
    keys: ['rest', 'hardware'],
    uses: { multi: USES_OF_FURTHER_SIZES },
    async run(scan) {
      await scan.sample(samples[0] ?? '');
      for (const uses of await endsOfFurtherSizes(scan)) judgeEnd(scan, endpoint, uses);
    },
  };
}

/** Cards of other kinds, which the run has used before. */
function furtherKinds(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  const samples = usesSamplesOf('windowed', endpoint);
  return {
    samples,
    keys: ['rest', 'hardware'],
    uses: Object.fromEntries(FURTHER_KINDS.map((kind) => [kind, USES_OF_A_FURTHER_KIND])),
    async run(scan) {
      await scan.sample(samples[0] ?? '');
      for (const uses of await endsOfFurtherKinds(scan)) judgeEnd(scan, endpoint, uses);
    },
  };
}

/** Judges what an endpoint answered about the uses of a card up to its end. */
function judgeEnd(scan: Scan, endpoint: ConsumeEndpoint, { answers, allowed }: Uses): void {
  for (const one of answers) {
    scan.judges(one.exchange);
    if (one.endpoint === endpoint) expectUses(one, allowed);
  }
}

/** Judges what each endpoint answered about the uses of each kind of ticket, with the first use on either consume endpoint. */
function throughUses<E extends ScanEndpoint>(
  endpoints: readonly E[],
  judge: (uses: Uses, endpoint: E, scan: Scan) => void,
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
          judge(uses, endpoint, scan);
        }
      },
    })),
  );
}

function expectSameFacts({ answers }: Uses, endpoint: RestEndpoint, scan: Scan): void {
  const rest = answers.filter((one) => one.endpoint === endpoint || one.endpoint === 'validate');
  const shown = rest[0]?.exchange;
  const first = shown?.answer.json;
  if (!shown || !isRecord(first)) return;
  for (const { exchange, isGranted } of rest.filter((one) => one.endpoint === endpoint)) {
    const names = scan.answers.heldIn(shown, isGranted ? FACTS_OF_A_GRANT : FACTS);
    expectFields(exchange, Object.fromEntries(names.map((name) => [name, first[name]])));
    // The first use may have changed them already.
    const wrong = isGranted ? scan.answers.wrongFact(exchange) : undefined;
    if (wrong) scan.fail(wrong.expected, wrong.observed, exchange, [wrong.field]);
  }
}

/** What software is told of a ticket after a door has refused it twice: the uses that it was told before, if any. */
async function expectNoUseTaken(
  scan: Scan,
  situation: (typeof REFUSED_AS_SUCH)[number],
  endpoint: ConsumeEndpoint,
): Promise<void> {
  const sample = sampleOf(situation, endpoint);
  const { json } = scan.before(sample).answer;
  const after = await scan.validate(scan.ticketOf(sample, situation).code);
  if (isRecord(json) && isRecord(after.answer.json))
    expectFields(after, { usesConsumed: json['usesConsumed'] });
}

/** Sends the request of a shared answer again. */
async function refusedLater(scan: Scan, sample: string, endpoint: ScanEndpoint): Promise<void> {
  const shared = await scan.sample(sample);
  await scan.untilOld(shared, LATER_MS);
  const names = isDevice(endpoint)
    ? ['AcsRes', 'Note']
    : ['valid', 'status', 'reason', 'usesConsumed'];
  const before = isRecord(shared.answer.json) ? shared.answer.json : {};
  const held = scan.answers.heldIn(shared, names);
  const expected = Object.fromEntries(held.map((name) => [name, before[name]]));
  expectFields(await scan.send(shared.request), expected);
}

/** The single ticket of a shared answer is shown everywhere again. */
function usedUpLater(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  const sample = sampleOf('single', endpoint);
  return {
    variant: 'single',
    samples: [sample],
    uses: {},
    async run(scan) {
      await scan.untilOld(await scan.sample(sample), LATER_MS);
      const ticket = { ...unused(scan.ticketOf(sample, 'single').code), used: 1 };
      const places = SCANS.filter((place) => scan.hasKey(keyFor(place)));
      await Promise.all(places.map((place) => expectCounted(scan, ticket, place)));
    },
  };
}

/** The card whose uses other cases follow. */
function countedLater(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  const samples = usesSamplesOf('multi', endpoint);
  return {
    variant: 'multi',
    samples,
    keys: ['rest', 'hardware'],
    async run(scan) {
      const { answers } = await usesOf(scan, 'multi', endpoint);
      const [first, last] = [answers[0], answers.at(-1)];
      if (!first || !last) return;
      await scan.untilOld(last.exchange, LATER_MS);
      const { code } = scan.ticketOf(samples[0] ?? '', 'multi');
      scan.judges(first.exchange);
      expectFields(await scan.validate(code), { usesConsumed: last.used });
    },
  };
}
