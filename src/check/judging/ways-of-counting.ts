import {
  CONSUMES,
  type Endpoint,
  type Exchange,
  endpointAt,
  isConsume,
  isRest,
  keyIn,
  pathOf,
  VALIDATES,
} from '../facts/exchange.ts';
import { read } from '../facts/reading.ts';
import type { ExpectedAnswers } from '../law/expected.ts';
import { readerIn } from './circumstances.ts';

/** How a server seems to count, where it does not count right. */
export interface WayOfCounting {
  /** A sentence for the people who make the server. */
  readonly cause: string;
  /** The case with the sentence that it breaks. */
  readonly root: string;
}

/** A rule by which a server counts. */
interface Counting {
  /** True where an answer to this scan shows that earlier use, or this one's own. */
  shows(scan: TicketScan, use: TicketScan): boolean;
  /** True for a look that takes a use. */
  takes?(look: TicketScan): boolean;
  /** True where such a look shows the use that it takes. */
  readonly isOwnLookShown?: boolean;
  /** True for a scan after which the ticket is as new. */
  forgets?(scan: TicketScan): boolean;
}

/** One that may be tried. */
type Guess = WayOfCounting & Counting;

/** A scan of a ticket with its answer. */
interface TicketScan {
  readonly endpoint: Endpoint;
  readonly side: 'devices' | 'software';
  readonly reader: number | undefined;
  readonly key: string | undefined;
  readonly isGranted: boolean;
  readonly isUsedUp: boolean;
  /** A grant of consume. */
  readonly isUse: boolean;
  readonly shown: number | undefined;
}

/** The scans of one ticket, in the order in which they were answered. */
type Life = readonly TicketScan[];

/** One ticket alone may fit a wrong guess by chance. */
const TICKETS_AT_LEAST = 2;
/** A counter for all scans: what it cannot explain is what guesses are for. */
const RIGHT: Counting = { shows: () => true };
/** An answer to a use may show it, although it is not kept. */
const OWN_IS_SHOWN = [true, false];
/** Nothing is kept at all: then nobody's uses are the ones that are missing. */
const NOTHING: Counting = { shows: (scan, use) => scan === use };

/**
 * Says how a server counts whose answers to a ticket show wrong uses: the first way of counting that explains every answer about every ticket of
 * that kind, where one counter for all scans does not (section 3.2).
 * @returns undefined where none does, or where the run does not show enough
 */
export function wayOfCounting(
  exchange: Exchange,
  answers: ExpectedAnswers,
): WayOfCounting | undefined {
  const kind = answers.of(exchange)?.kind;
  if (kind === undefined) return undefined;
  const { exchanges } = answers;
  const known = LOOKED.get(answers);
  const looked = known?.at === exchanges.length ? known : { at: exchanges.length, ways: new Map() };
  LOOKED.set(answers, looked);
  if (!looked.ways.has(kind)) looked.ways.set(kind, wayIn(livesOf(kind, answers)));
  return looked.ways.get(kind);
}

/** What was found for each kind of ticket, with the number of the answers that were looked at. */
const LOOKED = new WeakMap<
  ExpectedAnswers,
  { readonly at: number; readonly ways: Map<string, WayOfCounting | undefined> }
>();

function wayIn(lives: readonly Life[]): WayOfCounting | undefined {
  const isExplained = (guess: Counting) => lives.every((life) => isAsCounted(life, guess));
  const wrong = lives.filter((life) => !isAsCounted(life, RIGHT));
  if (wrong.length === 0 || lives.length < TICKETS_AT_LEAST || isExplained(NOTHING))
    return undefined;
  return guessesFor(lives.flat()).find(isExplained);
}

/** True where each answer shows what a server shows that counts so. */
function isAsCounted(life: Life, { shows, takes, forgets, isOwnLookShown }: Counting): boolean {
  let before: number | undefined;
  return life.every((scan, at) => {
    if (scan.shown === undefined) return true;
    const from = life.findLastIndex((one, place) => place < at && forgets?.(one) === true) + 1;
    const since = life.slice(from, at);
    const uses = [...since, scan].filter((use) => use.isUse && shows(scan, use)).length;
    const taking = isOwnLookShown ? [...since, scan] : since;
    const looks = taking.filter((look) => isLook(look) && takes?.(look)).length;
    if (from === 0) before ??= scan.shown - uses - looks;
    return scan.shown === (from === 0 ? (before ?? 0) : 0) + uses + looks;
  });
}

function isLook({ endpoint, isGranted }: TicketScan): boolean {
  return isGranted && !isConsume(endpoint);
}

/** The plainest first. */
function guessesFor(scans: readonly TicketScan[]): Guess[] {
  const readers = [...new Set(scans.flatMap(({ isUse, reader }) => (isUse ? (reader ?? []) : [])))];
  return [
    {
      cause:
        'Devices and software count apart: every answer of this run about this kind of ticket shows the uses of its own side, and none of the other.',
      root: '3.2/counter-is-shared',
      shows: (scan, use) => scan.side === use.side,
    },
    ...(['devices', 'software'] as const).flatMap((side) =>
      OWN_IS_SHOWN.map((isOwnShown) => ({
        cause: `The uses that ${side} took of this kind of ticket are missing in all later answers, and the others are counted: does the server keep what it grants to ${side}?`,
        root: '3.2/consume-counts-one',
        shows: (scan: TicketScan, use: TicketScan) =>
          (isOwnShown && scan === use) || use.side !== side,
      })),
    ),
    ...readers.flatMap((reader) =>
      OWN_IS_SHOWN.map((isOwnShown) => ({
        cause: `The uses that were taken at Reader ${reader} are missing in all later answers, and those at other readers are counted: does the server keep what it grants at each Reader?`,
        root: '2.4/counted-at-every-reader',
        shows: (scan: TicketScan, use: TicketScan) =>
          (isOwnShown && scan === use) || use.reader !== reader || use.side === 'software',
      })),
    ),
    {
      cause:
        'Each key has a count of its own: every answer of this run about this kind of ticket shows the uses of its own key, and none of another.',
      root: '3.2/keys-share-the-counter',
      shows: (scan, use) => scan.key === use.key,
    },
    ...[VALIDATES, ...VALIDATES.map((endpoint) => [endpoint])].flatMap((endpoints) =>
      OWN_IS_SHOWN.map((isOwnLookShown) => ({
        isOwnLookShown,
        cause: `${endpoints.map(pathOf).join(' and ')}: each look that finds this kind of ticket good takes a use of it, which later answers show. A look must take none.`,
        root: '3.2/validate-changes-nothing',
        shows: RIGHT.shows,
        takes: ({ endpoint }: TicketScan) => endpoints.some((one) => one === endpoint),
      })),
    ),
    ...[CONSUMES, ...CONSUMES.map((endpoint) => [endpoint])].map((endpoints) => ({
      cause: `A refusal by ${endpoints.map(pathOf).join(' or ')} of a ticket that is used up makes it as new: after it, answers count from 0 again.`,
      root: '3.2/exhausted-stays-exhausted',
      shows: RIGHT.shows,
      forgets: ({ endpoint, isUsedUp }: TicketScan) =>
        isUsedUp && endpoints.some((one) => one === endpoint),
    })),
  ];
}

/** The scans of each ticket of a kind whose uses are known before each of them: no use was under way, and none was lost. */
function livesOf(kind: string, answers: ExpectedAnswers): Life[] {
  const byCode = new Map<string, Exchange[]>();
  for (const exchange of answers.exchanges) {
    const { code, kind: shown } = answers.of(exchange) ?? {};
    if (code === undefined || shown !== kind) continue;
    byCode.set(code, [...(byCode.get(code) ?? []), exchange]);
  }
  return [...byCode]
    .filter(
      ([code, all]) =>
        answers.areUsesKnown(code) &&
        all.every((one) => answers.usesBefore(one, code) !== undefined),
    )
    .map(([, all]) => all.flatMap(scanIn));
}

function scanIn({ request, answer }: Exchange): TicketScan | [] {
  const endpoint = endpointAt(request);
  if (endpoint === undefined) return [];
  const { outcome, used } = read(answer);
  const isGranted = outcome === 'granted';
  return {
    endpoint,
    side: isRest(endpoint) ? 'software' : 'devices',
    reader: readerIn({ request }),
    key: keyIn(request),
    isGranted,
    isUsedUp: outcome === 'exhausted',
    isUse: isGranted && isConsume(endpoint),
    shown: used,
  };
}
