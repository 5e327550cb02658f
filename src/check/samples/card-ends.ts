import type { Scan } from '../cases/scan.ts';
import { CONSUMES, type Exchange, endpointAt, isConsume } from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { counted, shown, USES_TO_EXHAUST_MAX, type UseAnswer, type Uses } from './uses.ts';

/** The uses that are taken of cards of further sizes to see their ends, at most. */
export const USES_OF_FURTHER_SIZES = 36;

/**
 * A limit may be right for some sizes of cards only: cards that the run has used are followed to their ends, one of each size, and then
 * shown to both consume endpoints.
 */
export function endsOfFurtherSizes(scan: Scan): Promise<readonly Uses[]> {
  return scan.once('cards of further sizes', async () => {
    const ends: Uses[] = [];
    let usesLeft = USES_OF_FURTHER_SIZES;
    for (const { code, left } of cardsToEnd(scan)) {
      usesLeft -= left;
      if (usesLeft < 0) break;
      ends.push(await endOf(scan, code));
    }
    return ends;
  });
}

async function endOf(scan: Scan, code: string): Promise<Uses> {
  const card = await counted(scan, code);
  const answers: UseAnswer[] = [];
  const uses = card.allowed - card.used;
  const places = Array.from({ length: uses }, (_, turn) => CONSUMES[turn % 2] ?? 'consume');
  for (const endpoint of [...places, ...CONSUMES]) {
    const one = await shown(scan, card, endpoint, {});
    answers.push(one);
    // After a wrong answer it is not known what the next endpoint should say.
    if ((read(one.exchange.answer).outcome === 'granted') !== one.isGranted) break;
  }
  return { allowed: card.allowed, answers };
}

/** A card that a consume endpoint has let in, as far as its answers tell. */
interface SeenCard {
  readonly code: string;
  readonly allowed: number;
  readonly left: number;
}

/** One card of each size whose end was not seen on both consume endpoints; those with the fewest uses left first. */
function cardsToEnd(scan: Scan): readonly SeenCard[] {
  const seen = new Map<string, SeenCard>();
  const ends = new Set<string>();
  for (const exchange of scan.exchanges()) {
    const card = cardIn(exchange, scan, seen);
    if (!card) continue;
    seen.set(card.code, card);
    if (card.left === 0 && read(exchange.answer).outcome === 'exhausted')
      ends.add(`${card.allowed} ${endpointAt(exchange.request)}`);
  }
  const isOpen = ({ allowed }: SeenCard) =>
    CONSUMES.some((endpoint) => !ends.has(`${allowed} ${endpoint}`));
  const open = [...seen.values()]
    .filter((card) => card.allowed <= USES_TO_EXHAUST_MAX && isOpen(card))
    .sort((a, b) => a.left - b.left);
  return [...new Map(open.toReversed().map((card) => [card.allowed, card])).values()].toReversed();
}

/**
 * The card that a consume endpoint was shown; undefined for anything else.
 * @param seen what answers before told: a denial at a door tells no uses
 */
function cardIn(
  exchange: Exchange,
  { answers }: Scan,
  seen: ReadonlyMap<string, SeenCard>,
): SeenCard | undefined {
  const endpoint = endpointAt(exchange.request);
  const { kind, code } = answers.of(exchange) ?? {};
  if (!endpoint || !isConsume(endpoint) || kind !== 'multi' || code === undefined) return undefined;
  const { outcome, used = 0, allowed = seen.get(code)?.allowed } = read(exchange.answer);
  if (allowed === undefined) return undefined;
  return { code, allowed, left: outcome === 'exhausted' ? 0 : allowed - used };
}
