import type { Scan } from '../cases/scan.ts';
import type { KeyName } from '../deployment/target.ts';
import {
  type ConsumeEndpoint,
  describeAnswer,
  type Exchange,
  type RequestSpec,
  validateFor,
} from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { TOO_MANY } from '../judging/symptom.ts';
import { type CountedTicket, expectCounted } from './uses.ts';

/** The fields by which an answer lets in or refuses. */
const OUTCOME = ['valid', 'status', 'AcsRes'];

/** Many gates that want a use of one card at the same instant, with these keys in turn. */
interface Rush {
  readonly endpoint: ConsumeEndpoint;
  readonly gates: number;
  readonly keys: readonly KeyName[];
}

/** As many get in as the card has uses left, and every use has a number of its own. @throws Deviation where that is not so */
export async function raceForUses(
  scan: Scan,
  card: CountedTicket,
  { endpoint, gates, keys }: Rush,
): Promise<void> {
  // What a look shows so is wrong before any race.
  if (card.used > card.allowed)
    scan.fail(`at most ${card.allowed} uses`, `${card.used} uses`, undefined, ['Note']);
  const wins = Math.min(gates, card.allowed - card.used);
  const requests = Array.from({ length: gates }, (_, i) =>
    scan.request(endpoint, card.code, keys[i % keys.length]),
  );
  const granted = await race(scan, requests, wins, async (count) => {
    // Refused alone as well, it is not refused because of the others.
    await expectCounted(scan, { ...card, used: card.used + count }, endpoint);
  });
  const numbers = granted.map(({ answer }) => read(answer).used ?? 0).sort((a, b) => a - b);
  const expected = Array.from({ length: wins }, (_, i) => card.used + i + 1);
  if (numbers.join() !== expected.join())
    scan.fail(`the uses ${expected.join(', ')}, one each`, `the uses ${numbers.join(', ')}`);
  card.used += wins;
  await expectCounted(scan, card, validateFor(endpoint));
}

/**
 * Sends all at once. Expects this number of grants, and clean refusals for the rest.
 * @param showAlone shows the ticket once more where too few got in: how many
 * @returns the grants
 */
export async function race(
  scan: Scan,
  requests: readonly RequestSpec[],
  wins: number,
  showAlone: (granted: number) => Promise<void> = () => Promise.resolve(),
): Promise<Exchange[]> {
  const exchanges = await scan.together(requests);
  const many = requests.length;
  const granted = exchanges.filter(({ answer }) => read(answer).outcome === 'granted');
  if (granted.length < wins) await showAlone(granted.length);
  if (granted.length !== wins) {
    const shown =
      granted.length > wins ? granted.at(-1) : exchanges.find((one) => !granted.includes(one));
    scan.fail(
      `${wins} of ${many} granted`,
      `${granted.length} of ${many} granted`,
      shown,
      granted.length > wins ? [TOO_MANY] : OUTCOME,
    );
  }
  const odd = exchanges.find((one) => !granted.includes(one) && !isExhausted(one));
  if (odd) scan.fail('the others exhausted', describeAnswer(odd.answer), odd, OUTCOME);
  return granted;
}

/** What a door shows to those who come too late is no matter of races. */
function isExhausted({ answer }: Exchange): boolean {
  return read(answer).outcome === 'exhausted' || Object(answer.json).AcsRes === '0';
}
