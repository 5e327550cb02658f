import type { Arrival, Receiver } from './receiver.ts';

/** What the log says that a webhook must tell. */
export interface LoggedScan {
  readonly sequence: number;
  readonly keyId: string;
  readonly operation: string;
  readonly outcome: string;
  readonly replayed: boolean;
  readonly ticketId: string | null;
}

const SCAN = /_scan_(\d+)$/;

/**
 * What is wrong with the messages of one webhook: each scan of the log arrived, first in the order of the log, with one id and one body
 * however often it came, and nothing else did.
 * @param log of the webhook's organisation, since the webhook was made
 */
export function problemsOf(
  receiver: Pick<Receiver, 'arrivals' | 'badSignatures'>,
  log: readonly LoggedScan[],
): string[] {
  const expected = new Map(
    log
      .filter(({ operation, replayed }) => operation === 'consume' && !replayed)
      .map((scan) => [scan.sequence, scan]),
  );
  const problems = [...receiver.badSignatures];
  const bodies = new Map<string, string>();
  const firsts: number[] = [];
  for (const arrival of receiver.arrivals) {
    problems.push(...problemsWith(arrival, expected, bodies));
    const sequence = Number(SCAN.exec(arrival.id)?.[1]);
    if (arrival.accepted && !firsts.includes(sequence)) firsts.push(sequence);
  }
  const accepted = new Set(firsts);
  for (const sequence of expected.keys()) {
    if (!accepted.has(sequence)) problems.push(`scan ${sequence} never arrived`);
  }
  const late = firsts.find((sequence, index) => sequence < (firsts[index - 1] ?? 0));
  if (late !== undefined) problems.push(`scan ${late} arrived after a later one`);
  return problems;
}

function problemsWith(
  { id, text }: Arrival,
  expected: ReadonlyMap<number, LoggedScan>,
  bodies: Map<string, string>,
): string[] {
  const scan = expected.get(Number(SCAN.exec(id)?.[1]));
  if (!scan) return [`${id} tells of something that is not in the log: ${text}`];
  const before = bodies.get(id);
  bodies.set(id, text);
  if (before !== undefined && before !== text) return [`${id} came with two bodies`];
  const { type, data } = JSON.parse(text) as {
    type: string;
    data: { sequence: number; ticketId: string | null };
  };
  const wanted = scan.outcome === 'consumed' ? 'scan.granted' : 'scan.denied';
  const isSame = data.sequence === scan.sequence && data.ticketId === scan.ticketId;
  return type === wanted && isSame ? [] : [`${id} does not tell what the log has: ${text}`];
}
