import type { Cell, CheckCase } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { isRecord } from '../facts/json.ts';
import { expectFields } from '../judging/expect.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  isConsume,
  isDevice,
  SCANS,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import { REFUSED, sampleOf } from '../samples/samples.ts';
import { expectUses, usesOf, usesSamplesOf } from '../samples/uses.ts';

/** After this, caches and locks of a few seconds have ended, and what is written behind an answer is written. */
const LATER_MS = 5100;
const SHOWN = [...REFUSED, 'forged', 'outOfScope'] as const;

/** Section 3.2, looked at again after some seconds. The shared answers are old enough when everything else is asked. */
export const FIVE_SECONDS_LATER_CASES: readonly CheckCase[] = [
  {
    id: '3.2/use-stays-taken',
    phase: 'review',
    requirement: 'A use stays taken: five seconds later the ticket has as many uses as before.',
    cause:
      'A use is kept in a cache and never stored, is written back by a slower request, or is given back when a lock ends.',
    cells: [...on(CONSUMES, usedUpLater), ...on(CONSUMES, countedLater)],
  },
  {
    id: '3.2/refusal-stays',
    phase: 'review',
    requirement: 'What was refused is refused five seconds later, for the same reason.',
    cause: 'A refusal is kept in a cache, and when it ends a failing look-up lets the ticket in.',
    cells: on(SCANS, (endpoint) => ({
      samples: SHOWN.map((situation) => sampleOf(situation, endpoint)),
      ...(isConsume(endpoint) ? { uses: {} } : {}),
      async run(scan) {
        const samples = SHOWN.map((situation) => sampleOf(situation, endpoint));
        const asked = samples.filter((sample) => scan.has(sample));
        await Promise.all(asked.map((sample) => refusedLater(scan, sample, endpoint)));
      },
    })),
  },
];

/** Sends the request of a shared answer again. */
async function refusedLater(scan: Scan, sample: string, endpoint: ScanEndpoint): Promise<void> {
  const shared = await scan.sample(sample);
  await scan.untilOld(shared, LATER_MS);
  const names = isDevice(endpoint) ? ['AcsRes', 'Note'] : ['valid', 'status', 'reason'];
  const before = isRecord(shared.answer.json) ? shared.answer.json : {};
  const expected = Object.fromEntries(names.map((name) => [name, before[name]]));
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
      const { code } = scan.ticketOf(sample, 'single');
      await Promise.all(
        SCANS.map(async (place) => {
          const exchange = await scan.ask(place, code);
          expectUses({ endpoint: place, exchange, used: 1, isGranted: false }, 1);
        }),
      );
    },
  };
}

/** The card whose uses other cases follow. */
function countedLater(endpoint: ConsumeEndpoint): Omit<Cell, 'endpoint'> {
  const samples = usesSamplesOf('multi', endpoint);
  return {
    variant: 'multi',
    samples,
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
