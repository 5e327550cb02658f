import { type AskedCell, type CheckCase, levelOf, sectionOf } from '../cases/case.ts';
import { ENDPOINTS, type Endpoint, type Exchange, type RequestSpec } from '../requests/exchange.ts';
import type { CaseResult, CellDeviation, Evidence, NotAsked, Outcome } from '../results/result.ts';

/** What became of one question of a case. Every text is free of keys. */
export interface CellResult {
  readonly cell: AskedCell;
  readonly outcome: Outcome;
  /** The endpoints that answered. */
  readonly asked: readonly Endpoint[];
  /** Every endpoint that it sent a request to. */
  readonly touched: readonly Endpoint[];
  /** How many requests it took. */
  readonly requests: number;
  /** The endpoint of the exchange that shows it. */
  readonly endpoint?: Endpoint | undefined;
  readonly exchange?: Exchange | undefined;
  /** The request that never got an answer. */
  readonly silent?: RequestSpec | undefined;
  /** The fields of that answer that were not as required. */
  readonly fields?: readonly string[] | undefined;
  readonly expected?: string;
  readonly observed?: string;
  readonly cause?: string | null;
  readonly isDangerous?: true;
  /** The id of the case that it follows from. */
  readonly followsFrom?: string;
  readonly reason?: string;
  readonly optional?: true;
  readonly reproduce?: string;
  readonly evidence?: Evidence;
}

/** A case with what became of its questions. */
export interface JudgedCase {
  readonly one: CheckCase;
  readonly cells: readonly CellResult[];
  readonly durationMs: number;
}

/** Puts the answers to the questions of a case together: one deviation is enough to fail it. */
export function resultOf({ one, cells, durationMs }: JudgedCase): CaseResult {
  const outcome = outcomeOf(cells);
  const bad = cells.filter((cell) => isBad(cell) && cell.outcome === outcome);
  const shown = bad[0] ?? cells.find(({ outcome: other }) => other === outcome);
  return {
    id: one.id,
    section: sectionOf(one.id),
    level: levelOf(one),
    outcome,
    requirement: one.requirement,
    expected: shown?.expected ?? null,
    observed: bad[0]?.observed ?? (isBad({ outcome }) ? null : seenIn(cells)),
    reproduce: shown?.reproduce ?? null,
    durationMs: Math.round(durationMs * 10) / 10,
    cause: bad[0]?.cause ?? null,
    reason: outcome === 'skipped' || outcome === 'unanswered' ? (shown?.reason ?? null) : null,
    evidence: bad[0]?.evidence ?? null,
    endpoints: inOrder(cells.flatMap(({ asked }) => asked)),
    failedEndpoints: inOrder(bad.flatMap(({ endpoint, asked }) => (endpoint ? [endpoint] : asked))),
    variants: variantsOf(cells.filter(({ asked }) => asked.length > 0)),
    failedVariants: variantsOf(bad.length > 0 ? bad : cells.filter(follows)),
    notAsked: cells.filter(({ outcome: one }) => one === 'skipped').map(notAskedOf),
    ...marksOf(cells, bad),
  };
}

function marksOf(cells: readonly CellResult[], bad: readonly CellResult[]): Partial<CaseResult> {
  const roots = new Set(cells.flatMap(({ followsFrom }) => followsFrom ?? []));
  return {
    ...(bad.length > 1 ? { deviations: bad.map(deviationOf) } : {}),
    ...(roots.size > 0 ? { followsFrom: [...roots] } : {}),
    ...(bad.some(({ isDangerous }) => isDangerous) ? { isDangerous: true } : {}),
    ...(cells.every(({ cell }) => cell.later) ? { later: true } : {}),
  };
}

function follows({ outcome }: CellResult): boolean {
  return outcome === 'follows';
}

function isBad({ outcome }: Pick<CellResult, 'outcome'>): boolean {
  return outcome === 'failed' || outcome === 'warned';
}

/** The worst that was found; skipped only where nothing was asked. */
function outcomeOf(cells: readonly CellResult[]): Outcome {
  const order: readonly Outcome[] = [
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
function placeOf({ endpoint = undefined, variant }: Partial<AskedCell>): string {
  return `${endpoint ?? ''}${variant === undefined ? '' : `{${variant}}`}`;
}

function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  return ENDPOINTS.filter((endpoint) => endpoints.includes(endpoint));
}

function placeIn({ endpoint, variant }: AskedCell) {
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
