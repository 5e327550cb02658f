import { type AskedCell, type Case, levelOf, sectionOf } from '../cases/case.ts';
import { ENDPOINTS, type Endpoint, type Exchange, type RequestSpec } from '../facts/exchange.ts';
import {
  type CaseOutcome,
  type CaseResult,
  type CellDeviation,
  type Evidence,
  isDeviation,
  type NotAsked,
} from '../results/result.ts';
import type { Found } from './outcome.ts';

/** What became of one question of a case. Every text is free of keys. */
export interface CellResult extends Found<Exchange> {
  readonly cell: AskedCell<never>;
  /** The endpoints that answered. */
  readonly asked: readonly Endpoint[];
  /** Every endpoint that it sent a request to. */
  readonly touched: readonly Endpoint[];
  /** How many requests it took. */
  readonly requests: number;
  /** The endpoint of the exchange that shows it. */
  readonly endpoint?: Endpoint | undefined;
  /** The request that never got an answer. */
  readonly silent?: RequestSpec | undefined;
  /** The id of the case that it follows from. */
  readonly followsFrom?: string;
  readonly reproduce?: string;
  readonly evidence?: Evidence;
}

/** A case with what became of its questions. */
export interface JudgedCase {
  readonly one: Case<never>;
  readonly cells: readonly CellResult[];
  readonly durationMs: number;
}

/** Puts the answers to the questions of a case together: one deviation is enough to fail it. */
export function resultOf({ one, cells, durationMs }: JudgedCase): CaseResult {
  const outcome = outcomeOf(cells);
  const bad = cells.filter((cell) => isDeviation(cell) && cell.outcome === outcome);
  const shown = bad[0] ?? cells.find(({ outcome: other }) => other === outcome);
  const deviating = bad.length > 0 ? bad : cells.filter(follows);
  return {
    id: one.id,
    section: sectionOf(one.id),
    level: deviating[0]?.level ?? deviating[0]?.cell.level ?? levelOf(one),
    outcome,
    requirement: one.requirement,
    expected: shown?.expected ?? null,
    observed: bad[0]?.observed ?? (isDeviation({ outcome }) ? null : seenIn(cells)),
    reproduce: shown?.reproduce ?? null,
    durationMs: Math.round(durationMs * 10) / 10,
    cause: deviating[0]?.cause ?? null,
    reason: outcome === 'skipped' || outcome === 'unanswered' ? (shown?.reason ?? null) : null,
    evidence: deviating[0]?.evidence ?? null,
    endpoints: inOrder(cells.flatMap(({ asked }) => asked)),
    failedEndpoints: inOrder(bad.flatMap(({ endpoint, asked }) => (endpoint ? [endpoint] : asked))),
    variants: variantsOf(cells.filter(({ asked }) => asked.length > 0)),
    failedVariants: variantsOf(deviating),
    notAsked: cells.filter(({ outcome: one }) => one === 'skipped').map(notAskedOf),
    ...marksOf(cells, bad, deviating),
  };
}

function marksOf(
  cells: readonly CellResult[],
  bad: readonly CellResult[],
  deviating: readonly CellResult[],
): Partial<CaseResult> {
  const roots = new Set(cells.flatMap(({ followsFrom }) => followsFrom ?? []));
  return {
    ...(bad.length > 1 ? { deviations: bad.map(deviationOf) } : {}),
    ...(roots.size > 0 ? { followsFrom: [...roots] } : {}),
    ...(deviating.some(({ isDangerous }) => isDangerous) ? { isDangerous: true } : {}),
    ...(cells.every(({ cell }) => cell.later) ? { later: true } : {}),
  };
}

function follows({ outcome }: CellResult): boolean {
  return outcome === 'follows';
}

/** The worst that was found; skipped only where nothing was asked. */
function outcomeOf(cells: readonly CellResult[]): CaseOutcome {
  const order: readonly CaseOutcome[] = [
    ...(['failed', 'warned', 'follows', 'unanswered', 'passed', 'observed'] as const),
  ];
  return order.find((outcome) => cells.some((one) => one.outcome === outcome)) ?? 'skipped';
}

function variantsOf(cells: readonly CellResult[]): string[] {
  return [...new Set(cells.flatMap(({ cell }) => cell.variant ?? []))];
}

/** What was seen, by endpoint where the endpoints differ. */
function seenIn(cells: readonly CellResult[]): string | null {
  const texts = new Map<string, string[]>();
  for (const { observed, cell } of cells) {
    if (observed !== undefined)
      texts.set(observed, [...(texts.get(observed) ?? []), placeOf(cell)]);
  }
  if (texts.size <= 1) return [...texts.keys()][0] ?? null;
  return [...texts].map(([text, places]) => `${places.join(', ')}: ${text}`).join('; ');
}

/** Where a question was asked: `hw/consume{multi}`. */
function placeOf({ endpoint = undefined, variant }: Partial<AskedCell<never>>): string {
  return `${endpoint ?? ''}${variant === undefined ? '' : `{${variant}}`}`;
}

function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  return ENDPOINTS.filter((endpoint) => endpoints.includes(endpoint));
}

function placeIn({ endpoint, variant }: AskedCell<never>) {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(variant === undefined ? {} : { variant }),
  };
}

function notAskedOf({
  cell,
  reason = 'no reason given',
  optional = cell.later,
}: CellResult): NotAsked {
  return { ...placeIn(cell), reason, ...(optional ? { optional } : {}) };
}

function deviationOf({ cell, expected = '', observed = '' }: CellResult): CellDeviation {
  return { ...placeIn(cell), expected, observed };
}
