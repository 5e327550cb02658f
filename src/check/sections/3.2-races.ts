import type { CheckCase } from '../cases/case.ts';
import { on } from '../cases/matrix.ts';
import type { Scan } from '../cases/scan.ts';
import { usesInNote } from '../facts/device-answer.ts';
import { isRecord } from '../facts/json.ts';
import { countIn, expectFields, objectOf } from '../judging/expect.ts';
import { CONSUMES, type ConsumeEndpoint, LOOKS, type ScanEndpoint } from '../requests/endpoint.ts';
import type { Exchange, RequestSpec } from '../requests/exchange.ts';
import { keyFor, scopedKeyFor } from '../samples/samples.ts';
import type { KeyName } from '../target/target.ts';

const GATES = 10;
/** More than the waiting room of many a lock or pool of connections holds. */
const MANY_GATES = 32;
/** A narrow window is not hit every time, and a narrow lock only by many. */
const ROUNDS = [GATES, MANY_GATES] as const;
/** Uses that are taken while others look at the ticket. */
const LOOKED_AT_USES = 6;
/** Different tickets at the same instant. */
const TICKETS = 3;

/** Section 3.2 under load: many gates at the same instant, one ticket. */
export const RACE_CASES: readonly CheckCase[] = [
  {
    id: '3.2/race-for-the-only-use',
    endpoint: 'consume',
    keys: ['rest'],
    tickets: { single: ROUNDS.length },
    uses: { single: ROUNDS.length },
    requirement: `When ${GATES} or ${MANY_GATES} gates consume a single ticket at once, exactly one gets it.`,
    cause: 'The counter is read, judged and written in steps that others can come between.',
    async run(scan) {
      for (const [round, gates] of ROUNDS.entries()) {
        const { code } = scan.ticket('single', round);
        await race(
          scan,
          copiesOf(scan, scan.request('consume', code, keyOf(scan, 'consume', gates)), gates),
          1,
        );
        expectFields(await scan.validate(code), { status: 'exhausted', usesConsumed: 1 });
      }
    },
  },
  {
    id: '3.2/race-of-devices',
    endpoint: 'hw/consume',
    keys: ['hardware'],
    tickets: { single: ROUNDS.length },
    uses: { single: ROUNDS.length },
    requirement: `When ${GATES} or ${MANY_GATES} devices read a single ticket at once, exactly one door opens.`,
    cause: 'The device endpoints have no lock of their own.',
    async run(scan) {
      for (const [round, gates] of ROUNDS.entries()) {
        const { code } = scan.ticket('single', round);
        await race(
          scan,
          copiesOf(scan, scan.request('hw/consume', code, keyOf(scan, 'hw/consume', gates)), gates),
          1,
        );
      }
    },
  },
  {
    id: '3.2/race-of-devices-and-software',
    keys: ['rest', 'hardware'],
    tickets: { single: 1 },
    uses: { single: 1 },
    requirement: 'When devices and software consume a single ticket at once, exactly one gets it.',
    cause: 'Each kind of endpoint has its own lock.',
    async run(scan) {
      const { code } = scan.ticket('single');
      const requests = Array.from({ length: GATES }, (_, i) =>
        i % 2 === 0 ? scan.request('consume', code) : scan.request('hw/consume', code),
      );
      await race(scan, requests, 1);
    },
  },
  {
    id: '3.2/race-for-the-last-uses',
    requirement: `When ${GATES} gates consume a card at once, it lets in as many as it has uses left, and counts each.`,
    cause: 'Uses get lost when two scans write the same number.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint)],
      tickets: { multi: 1 },
      uses: { multi: GATES },
      run: (scan) => raceForLastUses(scan, endpoint),
    })),
  },
  {
    id: '3.2/race-of-two-keys',
    requirement: `When ${MANY_GATES} gates with two keys consume a card at once, it lets in as many as it has uses left, and counts each.`,
    cause: 'The lock or the counter belongs to the key.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: ['rest', keyFor(endpoint), scopedKeyFor(endpoint)],
      tickets: { multi: 1 },
      uses: { multi: MANY_GATES },
      run: (scan) => raceForLastUses(scan, endpoint, [keyFor(endpoint), scopedKeyFor(endpoint)]),
    })),
  },
  {
    id: '3.2/race-for-a-permanent-card',
    requirement: `When ${GATES} gates consume a permanent card at once, all let it in, and each use is counted.`,
    cause: 'Permanent cards bypass the lock, or whoever has to wait is refused.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: [keyFor(endpoint)],
      purse: true,
      uses: { permanent: GATES },
      async run(scan) {
        const requests = copiesOf(scan, scan.request(endpoint, scan.purse()), GATES);
        const granted = await race(scan, requests, requests.length);
        const uses = new Set(granted.map(usedIn));
        if (uses.size !== granted.length)
          scan.fail('a use of its own for each', `the uses ${[...uses].join(', ')}`, granted[0]);
      },
    })),
  },
  {
    id: '3.2/validate-during-a-use',
    requirement: 'A use that is taken while the same ticket is validated is counted.',
    cause: 'Validate writes the ticket back as it had read it.',
    cells: on(LOOKS, (endpoint) => ({
      keys: ['rest', 'hardware'],
      tickets: { hundred: 1 },
      uses: { hundred: LOOKED_AT_USES },
      run: (scan) => useWhileLookedAt(scan, endpoint),
    })),
  },
  {
    id: '3.2/race-of-different-tickets',
    requirement:
      'Different tickets that are consumed at once all get in, each with its own answer.',
    cause: 'Answers are mixed up, or one lock refuses the others instead of letting them wait.',
    cells: on(CONSUMES, (endpoint) => ({
      keys: [keyFor(endpoint)],
      tickets: { single: TICKETS },
      uses: { single: TICKETS },
      async run(scan) {
        const codes = Array.from({ length: TICKETS }, (_, i) => scan.ticket('single', i).code);
        const requests = codes.map((code) => scan.request(endpoint, code));
        const granted = await race(scan, requests, codes.length);
        // the answers to a device do not differ between two single tickets
        if (endpoint === 'hw/consume') return;
        const ids = new Set(
          granted.map(({ answer }) => (answer.json as { ticketId?: unknown }).ticketId),
        );
        if (ids.size !== codes.length)
          scan.fail(`${codes.length} different ticketIds`, `${ids.size} different`, granted[0]);
      },
    })),
  },
];

/** Every use must have a number of its own. */
async function raceForLastUses(
  scan: Scan,
  endpoint: ConsumeEndpoint,
  keys: readonly KeyName[] = [keyFor(endpoint)],
): Promise<void> {
  const { code } = scan.ticket('multi');
  const before = await scan.validate(code);
  const remaining = countIn(before, 'usesRemaining');
  const consumed = countIn(before, 'usesConsumed');
  const gates = keys.length === 1 ? GATES : manyAtOnce(scan, MANY_GATES);
  const wins = Math.min(gates, remaining);
  const requests = Array.from({ length: gates }, (_, i) =>
    scan.request(endpoint, code, keys[i % keys.length]),
  );
  const granted = await race(scan, requests, wins);
  const numbers = granted.map(usedIn).sort((a, b) => a - b);
  const expected = Array.from({ length: wins }, (_, i) => consumed + i + 1);
  if (numbers.join() !== expected.join())
    scan.fail(`the uses ${expected.join(', ')}, one each`, `the uses ${numbers.join(', ')}`);
  expectFields(await scan.validate(code), { usesConsumed: consumed + wins });
}

/** One use at a time, on each consume endpoint in turn, while the ticket is validated; each must have a number of its own. */
async function useWhileLookedAt(scan: Scan, endpoint: ScanEndpoint): Promise<void> {
  const { code } = scan.ticket('hundred');
  const look = scan.request(endpoint, code);
  const before = countIn(await scan.validate(code), 'usesConsumed');
  for (let used = before + 1; used <= before + LOOKED_AT_USES; used += 1) {
    const use = scan.request(used % 2 === 0 ? 'consume' : 'hw/consume', code);
    // a look that begins after the use would write it back
    const [, , taken] = await scan.together([look, look, use]);
    if (taken && usedIn(taken) !== used)
      scan.fail(`the use ${used}`, `the use ${usedIn(taken)}`, taken);
  }
  expectFields(await scan.validate(code), { usesConsumed: before + LOOKED_AT_USES });
}

/** The number of the use that was granted, on REST in usesConsumed, at devices in the Note. */
function usedIn(exchange: Exchange): number {
  const { Note, usesConsumed } = objectOf(exchange);
  return Number(usesInNote(Note)?.used ?? usesConsumed);
}

/** The same request for every gate. */
function copiesOf(scan: Scan, request: RequestSpec, gates: number): RequestSpec[] {
  return Array.from({ length: manyAtOnce(scan, gates) }, () => request);
}

/** Where the limits do not allow so many at once, as many as they allow. */
function manyAtOnce(scan: Scan, gates: number): number {
  return Math.max(GATES, scan.atOnce(gates));
}

/** A crowd has the key that has fewer other requests to send. */
function keyOf(scan: Scan, endpoint: ConsumeEndpoint, gates: number): KeyName {
  const scoped = scopedKeyFor(endpoint);
  return gates > GATES && scan.hasKey(scoped) ? scoped : keyFor(endpoint);
}

/** Sends all at once. Expects this number of grants, and clean refusals for the rest. @returns the grants */
async function race(
  scan: Scan,
  requests: readonly RequestSpec[],
  wins: number,
): Promise<Exchange[]> {
  const exchanges = await scan.together(requests);
  const granted = exchanges.filter(isGrant);
  if (granted.length !== wins) {
    scan.fail(
      `${wins} of ${requests.length} granted`,
      `${granted.length} of ${requests.length} granted`,
      granted.at(-1) ?? exchanges[0],
    );
  }
  const odd = exchanges.find((exchange) => !isGrant(exchange) && !isExhausted(exchange));
  if (odd) scan.fail('the others exhausted', `HTTP ${odd.answer.status} ${odd.answer.body}`, odd);
  return granted;
}

function isGrant({ answer }: Exchange): boolean {
  if (!isRecord(answer.json)) return false;
  return (
    answer.json['status'] === 'consumed' ||
    usesInNote(answer.json['Note']) !== undefined ||
    answer.json['AcsRes'] === '1'
  );
}

function isExhausted({ answer }: Exchange): boolean {
  if (!isRecord(answer.json)) return false;
  return answer.json['status'] === 'exhausted' || answer.json['AcsRes'] === '0';
}
