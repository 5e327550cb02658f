import { type CheckCase, Undecided } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { type ConsumeEndpoint, SCANS, type ScanEndpoint } from '../requests/endpoint.ts';
import { keyFor, sampleOf, scopedKeyFor } from '../samples/samples.ts';
import { expectUses, READERS, usesOf, usesSamplesOf } from '../samples/uses.ts';
import type { KeyName } from '../target/target.ts';

const USES = 100;

/** Section 3.2: the whole life of the longest card. A case for each endpoint, so that they run side by side. */
export const CARD_OF_100_CASES: readonly CheckCase[] = [
  toItsEnd('card-of-100-up-to-its-limit', 'consume', 'A card of 100 uses is consumed 100 times'),
  toItsEnd(
    'device-card-of-100-up-to-its-limit',
    'hw/consume',
    'A card of 100 uses opens 100 times',
  ),
];

function toItsEnd(name: string, endpoint: ConsumeEndpoint, what: string): CheckCase {
  return {
    id: `3.2/${name}`,
    endpoint,
    samples: usesSamplesOf('hundred', endpoint),
    keys: [keyFor(endpoint), scopedKeyFor(endpoint)],
    uses: { hundred: USES },
    requirement: `${what}: each use is counted and shown, and there is no other.`,
    cause: 'The count ends early, starts again, or its second or third digit is cut.',
    run: (scan) => useUp(scan, endpoint),
  };
}

/** Takes the rest of the uses with the key that has most requests left, by every reader in turn. */
async function useUp(scan: Scan, endpoint: ConsumeEndpoint) {
  const { answers, allowed } = await usesOf(scan, 'hundred', endpoint);
  const { code } = scan.ticketOf(sampleOf('hundred', endpoint), 'hundred');
  if (allowed > USES) return new Undecided(`the card has ${allowed} uses`);
  let used = answers.at(-1)?.used ?? 0;
  const key = scopedKeyFor(endpoint);
  while (used < allowed) {
    used += 1;
    const exchange = await scan.ask(endpoint, code, key, used % READERS.length);
    expectUses({ endpoint, exchange, used, isGranted: true }, allowed);
  }
  const refusals: readonly (readonly [ScanEndpoint, KeyName])[] = [
    [endpoint, keyFor(endpoint)],
    ...SCANS.map((at) => [at, scopedKeyFor(at)] as const),
  ];
  for (const [at, by] of refusals) {
    if (!scan.hasKey(by)) continue;
    const exchange = await scan.ask(at, code, by);
    expectUses({ endpoint: at, exchange, used, isGranted: false }, allowed);
  }
  return undefined;
}
