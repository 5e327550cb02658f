import { didYouMean } from '../../kit/nearest.ts';
import { type AskedCell, type Case, sectionOf, sectionOn } from '../cases/case.ts';
import { CheckUsageError } from '../deployment/target.ts';
import { type Endpoint, readEndpoint } from '../facts/exchange.ts';

export interface Selection {
  /** Ids, sections (`4.2`) or globs (`4.*`, `*race*`), of one variant with `{exhausted}`, on one endpoint with `@hw/consume`; none means all. */
  readonly only?: readonly string[] | undefined;
  readonly skip?: readonly string[] | undefined;
  readonly rateLimits?: boolean | undefined;
}

/**
 * The cases that are asked for, in the order of the specification.
 * @throws CheckUsageError when a pattern, or all of it, matches no case
 */
export function selectCases<Any extends Case<never>>(
  cases: readonly Any[],
  selection: Selection,
): Any[] {
  const { only = [], skip = [], rateLimits = false } = selection;
  const [wanted, unwanted] = [only.map(readPattern), skip.map(readPattern)];
  for (const pattern of [...wanted, ...unwanted]) {
    if (cases.some((one) => keepingWhere(one, (place) => matches(one, place, pattern)))) continue;
    if (URL.canParse(pattern.text))
      throw new CheckUsageError(
        `"${pattern.text}" is an address, and --only and --skip take every word after them. Write the address first: ticketscan check ${pattern.text} …`,
      );
    throw new CheckUsageError(
      `No case matches "${pattern.text}".${didYouMean(pattern.text, idsAndSections(cases))} \`ticketscan check --list\` shows the ids for --only and --skip; a pattern may be an id, a section or a glob such as "4.2/*", of one variant with "{exhausted}", on one endpoint with "@hw/consume".`,
    );
  }
  const chosen = cases.flatMap((one) => {
    const kept = keepingWhere(
      one,
      (place) =>
        (wanted.length === 0 || wanted.some((pattern) => matches(one, place, pattern))) &&
        !unwanted.some((pattern) => matches(one, place, pattern)),
    );
    return kept ? [kept] : [];
  });
  const selected = chosen.filter((one) => rateLimits || one.phase !== 'rate-limits');
  if (selected.length > 0) return selected;
  throw new CheckUsageError(
    chosen.length > 0
      ? 'Only rate-limit cases are selected, and they run only with --rate-limits.'
      : 'The selection leaves no case to run.',
  );
}

function idsAndSections(cases: readonly Case<never>[]): Set<string> {
  return new Set(cases.flatMap(({ id }) => [id, sectionOf(id)]));
}

interface Pattern {
  readonly text: string;
  readonly expression: RegExp;
  readonly variant?: RegExp;
  readonly endpoint?: Endpoint;
}

type Place = Pick<AskedCell<never>, 'endpoint' | 'variant'>;

/** Longer than any id with its endpoint; an expression of any length might not compile. */
const PATTERN_CHARACTERS_MAX = 1000;

function readPattern(text: string): Pattern {
  const [, ids = '', variant, place] = /^([^@{]*)(?:\{([^}]*)\})?(?:@(.*))?$/s.exec(text) ?? [];
  const endpoint = place === undefined ? undefined : readEndpoint(place);
  const isUnreadable = text.length > PATTERN_CHARACTERS_MAX || (place !== undefined && !endpoint);
  if (isUnreadable) return { text, expression: /$^/ };
  return {
    text,
    expression: globOf(ids),
    ...(variant === undefined ? {} : { variant: globOf(variant) }),
    ...(endpoint ? { endpoint } : {}),
  };
}

function globOf(text: string): RegExp {
  const parts = text
    .split('*')
    .map((part) => part.replace(/[.+?^${}()|[\]\\/]/g, '\\$&').replaceAll('\\?', '.'));
  return new RegExp(`^${parts.join('.*')}$`);
}

/** The case with the questions that are wanted of it; undefined when none is left. */
function keepingWhere<Any extends Case<never>>(
  one: Any,
  isWanted: (place: Place) => boolean,
): Any | undefined {
  if (!('cells' in one)) return isWanted(one) ? one : undefined;
  const cells = one.cells.filter(isWanted);
  return cells.length === 0 ? undefined : { ...one, cells };
}

function matches(one: Case<never>, place: Place, pattern: Pattern): boolean {
  const { expression, variant, endpoint } = pattern;
  if (endpoint !== undefined && endpoint !== place.endpoint) return false;
  if (variant !== undefined && !variant.test(place.variant ?? '')) return false;
  const section = sectionOf(one.id);
  const inSection = sectionOn(one.id, place.endpoint);
  const ids = [one.id, section, inSection, one.id.replace(section, inSection)];
  return ids.some((id) => expression.test(id));
}
