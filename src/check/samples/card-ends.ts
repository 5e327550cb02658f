import type { Scan } from '../cases/scan.ts';
import type { TicketKind } from '../deployment/target.ts';
import {
  CONSUMES,
  type ConsumeEndpoint,
  type Exchange,
  endpointAt,
  isConsume,
  VALIDATES,
} from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import { counted, shown, USES_TO_EXHAUST_MAX, type UseAnswer, type Uses } from './uses.ts';

/** The uses that are taken of cards of further sizes to see their ends, at most. */
export const USES_OF_FURTHER_SIZES = 36;

/**
 * A limit may be right for some sizes of cards only: cards that the run has used are followed to their ends, one of each size, and then
 * shown to every endpoint.
 */
export function endsOfFurtherSizes(scan: Scan): Promise<readonly Uses[]> {
  return scan.once('cards of further sizes', async () => {
    const ends: Uses[] = [];
    let usesLeft = USES_OF_FURTHER_SIZES;
    for (const { code, left } of cardsToEnd(scan, 'multi')) {
      usesLeft -= left;
      if (usesLeft < 0) break;
      ends.push(await endOf(scan, code));
    }
    return ends;
  });
}

/** Tickets that may be cards of another kind: a limit may be right for plain cards only. */
export const FURTHER_KINDS = ['personalised', 'windowed', 'openEnd', 'openStart'] as const;
/** The uses that are taken of the cards of one kind to see their ends, at most: a card for each consume endpoint. */
export const USES_OF_A_FURTHER_KIND = CONSUMES.length * USES_TO_EXHAUST_MAX;

/** Cards of each further kind that the run has used, and that have few uses left, are followed to their ends, with the last use on either endpoint. */
export function endsOfFurtherKinds(scan: Scan): Promise<readonly Uses[]> {
  return scan.once('cards of further kinds', async () => {
    const ends: Uses[] = [];
    for (const kind of FURTHER_KINDS) {
      const cards = cardsToEnd(scan, kind);
      for (const [at, last] of CONSUMES.entries()) {
        const card = cards[at];
        if (card) ends.push(await endOf(scan, card.code, last));
      }
    }
    return ends;
  });
}

/** @param last where its last use is taken; the first is taken by software where it is not given */
async function endOf(scan: Scan, code: string, last?: ConsumeEndpoint): Promise<Uses> {
  const card = await counted(scan, code);
  const answers: UseAnswer[] = [];
  const uses = card.allowed - card.used;
  const shift = last === undefined ? 0 : uses - 1 + CONSUMES.indexOf(last);
  const places = Array.from(
    { length: uses },
    (_, turn) => CONSUMES[(turn + shift) % 2] ?? 'consume',
  );
  for (const endpoint of [...places, ...CONSUMES, ...VALIDATES]) {
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

/** One card of a kind and of each size whose end was not seen on both consume endpoints; those with the fewest uses left first. */
function cardsToEnd(scan: Scan, kind: TicketKind): readonly SeenCard[] {
  const seen = new Map<string, SeenCard>();
  const ends = new Set<string>();
  for (const exchange of scan.exchanges()) {
    const card = cardIn(exchange, scan, { seen, wanted: kind });
    if (!card) continue;
    seen.set(card.code, card);
    if (card.left === 0 && read(exchange.answer).outcome === 'exhausted')
      ends.add(`${card.allowed} ${endpointAt(exchange.request)}`);
  }
  const isOpen = ({ allowed }: SeenCard) =>
    CONSUMES.some((endpoint) => !ends.has(`${allowed} ${endpoint}`));
  const open = [...seen.values()]
    // One that shows more uses than it has was let in beyond its end.
    .filter((card) => card.allowed <= USES_TO_EXHAUST_MAX && card.left >= 0 && isOpen(card))
    .sort((a, b) => a.left - b.left);
  return [...new Map(open.toReversed().map((card) => [card.allowed, card])).values()].toReversed();
}

/**
 * The card of the wanted kind that a consume endpoint was shown; undefined for anything else.
 * @param known.seen what answers before told: a denial at a door tells no uses
 */
function cardIn(
  exchange: Exchange,
  { answers }: Scan,
  { seen, wanted }: { readonly seen: ReadonlyMap<string, SeenCard>; readonly wanted: TicketKind },
): SeenCard | undefined {
  const endpoint = endpointAt(exchange.request);
  const { kind, code } = answers.of(exchange) ?? {};
  if (!endpoint || !isConsume(endpoint) || kind !== wanted || code === undefined) return undefined;
  const { outcome, used = 0, allowed = seen.get(code)?.allowed } = read(exchange.answer);
  if (allowed === undefined) return undefined;
  return { code, allowed, left: outcome === 'exhausted' ? 0 : allowed - used };
}
