import type { Needs } from '../cases/case.ts';
import type { Scan } from '../cases/scan.ts';
import { DENIAL_NOTES, grantNote, usesInNote } from '../facts/device-answer.ts';
import { countIn, expectFields, objectOf } from '../judging/expect.ts';
import {
  type ConsumeEndpoint,
  isConsume,
  isDevice,
  type ScanEndpoint,
} from '../requests/endpoint.ts';
import type { Exchange } from '../requests/exchange.ts';

/** Kinds of tickets whose uses are followed. */
export const USED_KINDS = ['multi', 'hundred', 'personalised', 'windowed'] as const;
export type UsedKind = (typeof USED_KINDS)[number];

/** More uses than this are not spent to see a card's end; a card of the target with fewer is looked for. */
export const USES_TO_EXHAUST_MAX = 12;
/** The uses that follow the first, at most. */
const FURTHER_USES: Readonly<Record<UsedKind, number>> = {
  multi: USES_TO_EXHAUST_MAX - 1,
  hundred: 2,
  personalised: 0,
  windowed: 0,
};

/** The readers of a device, which read in turn. */
export const READERS = [0, 1, 2, 3] as const;

/** An answer in the life of a ticket. */
export interface UseAnswer {
  readonly endpoint: ScanEndpoint;
  readonly exchange: Exchange;
  /** The uses that had been taken when it was given, itself included. */
  readonly used: number;
  readonly isGranted: boolean;
}

/** The uses of one ticket on both consume endpoints, and what every endpoint answered in between. */
export interface Uses {
  readonly allowed: number;
  readonly answers: readonly UseAnswer[];
}

interface Followed extends Needs {
  readonly name: string;
  readonly after: string;
  run(scan: Scan): Promise<Exchange>;
}

/** The name of the shared answers about the uses of a ticket of that kind, which begin on that endpoint. */
function usesSampleOf(kind: UsedKind, first: ConsumeEndpoint): string {
  return `uses of ${kind}@${first}`;
}

/** The shared answers about the uses of a ticket of that kind, the first of them included. */
export function usesSamplesOf(kind: UsedKind, first: ConsumeEndpoint): string[] {
  return [`${kind}@${first}`, usesSampleOf(kind, first)];
}

/** Follows the ticket of a shared answer of a consume endpoint through its further uses. */
export function followed(kind: UsedKind, first: ConsumeEndpoint): Followed {
  return {
    name: usesSampleOf(kind, first),
    after: `${kind}@${first}`,
    keys: ['rest', 'hardware'],
    uses: { [kind]: FURTHER_USES[kind] },
    async run(scan) {
      const { answers } = await usesOf(scan, kind, first);
      return (answers.at(-1) as UseAnswer).exchange;
    },
  };
}

/** The uses of that ticket; the first call makes them. */
export function usesOf(scan: Scan, kind: UsedKind, first: ConsumeEndpoint): Promise<Uses> {
  return scan.once(usesSampleOf(kind, first), () => follow(scan, kind, first));
}

async function follow(scan: Scan, kind: UsedKind, first: ConsumeEndpoint): Promise<Uses> {
  const sample = `${kind}@${first}`;
  const exchange = await scan.sample(sample);
  const before = usesIn(scan.before(sample));
  const { allowed } = before;
  let used = before.used + 1;
  const answers: UseAnswer[] = [{ endpoint: first, exchange, used, isGranted: true }];
  const { code } = scan.ticketOf(sample, kind);
  let reads = 0;
  const ask = async (...endpoints: readonly ScanEndpoint[]) => {
    for (const endpoint of endpoints) {
      const isGranted = used < allowed;
      if (isGranted && isConsume(endpoint)) used += 1;
      if (isDevice(endpoint)) reads += 1;
      const exchange = await scan.ask(endpoint, code, undefined, reads % READERS.length);
      answers.push({ endpoint, exchange, used, isGranted });
    }
  };
  const other = first === 'consume' ? 'hw/consume' : 'consume';
  const left = allowed - used;
  await ask('hw/validate', 'validate');
  if (left === 0 || FURTHER_USES[kind] > 0) await ask(first);
  if (left > 0 && FURTHER_USES[kind] > 0) await ask('hw/validate', 'validate', other);
  if (left > 0 && left <= FURTHER_USES[kind]) {
    while (used < allowed) {
      if (allowed - used <= 2) await ask('hw/validate', 'validate');
      await ask(first);
    }
    await ask(first, other, 'validate', 'hw/validate');
  }
  return { allowed, answers };
}

/** The uses that an answer shows, in its own format. @throws Deviation when it shows none */
export function usesIn(exchange: Exchange): { used: number; allowed: number } {
  const uses = usesInNote(objectOf(exchange)['Note']);
  if (uses) return uses;
  return { used: countIn(exchange, 'usesConsumed'), allowed: countIn(exchange, 'usesAllowed') };
}

/** @throws Deviation when the answer shows other uses than the ticket has had */
export function expectUses(
  { endpoint, exchange, used, isGranted }: UseAnswer,
  allowed: number,
): void {
  if (isDevice(endpoint)) {
    const Note = isGranted ? grantNote(used, allowed) : DENIAL_NOTES.exhausted;
    expectFields(exchange, { AcsRes: isGranted ? '1' : '0', Note });
    return;
  }
  const status = isConsume(endpoint) ? 'consumed' : 'validated';
  expectFields(exchange, {
    valid: isGranted,
    status: isGranted ? status : 'exhausted',
    ticketType: allowed === 1 ? 'single' : 'multi',
    usesAllowed: allowed,
    usesConsumed: used,
    usesRemaining: allowed - used,
  });
}
