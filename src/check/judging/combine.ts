import { type AskedCell, type CheckCase, levelOf, sectionOf } from '../cases/case.ts';
import { ENDPOINTS, type Endpoint } from '../requests/endpoint.ts';
import type { CaseResult, CellDeviation, Evidence, NotAsked, Outcome } from '../results/result.ts';

/** What became of one question of a case. Every text is free of keys. */
export interface Finding {
  readonly cell: AskedCell;
  readonly cause: string;
  readonly outcome: Outcome;
  /** The endpoints that answered. */
  readonly asked: readonly Endpoint[];
  /** The endpoint of the exchange that shows it. */
  readonly endpoint?: Endpoint | undefined;
  readonly expected?: string;
  readonly observed?: string;
  readonly reason?: string;
  readonly optional?: true;
  readonly ownFault?: true;
  readonly reproduce?: string;
  readonly evidence?: Evidence;
}

/** Puts the findings of a case together: one deviation is enough to fail it. */
export function resultOf(
  one: CheckCase,
  findings: readonly Finding[],
  durationMs: number,
): CaseResult {
  const outcome = outcomeOf(findings);
  const bad = findings.filter((finding) => isBad(finding) && finding.outcome === outcome);
  const shown = bad[0] ?? findings.find(({ outcome: other }) => other === outcome);
  return {
    id: one.id,
    section: sectionOf(one.id),
    level: levelOf(one),
    outcome,
    requirement: one.requirement,
    expected: shown?.expected ?? null,
    observed: bad[0]?.observed ?? seenIn(findings),
    reproduce: shown?.reproduce ?? null,
    durationMs: Math.round(durationMs * 10) / 10,
    cause: bad.length > 0 ? one.cause : null,
    reason: outcome === 'skipped' ? (shown?.reason ?? null) : null,
    evidence: bad[0]?.evidence ?? null,
    endpoints: inOrder(findings.flatMap(({ asked }) => asked)),
    failedEndpoints: inOrder(bad.flatMap(({ endpoint, asked }) => (endpoint ? [endpoint] : asked))),
    variants: variantsOf(findings.filter(({ asked }) => asked.length > 0)),
    failedVariants: variantsOf(bad),
    notAsked: findings.filter((finding) => finding.outcome === 'skipped').map(notAskedOf),
    ...(bad.length > 1 ? { deviations: bad.map(deviationOf) } : {}),
    ...(findings.every(({ cell }) => cell.later) ? { later: true } : {}),
  };
}

function isBad({ outcome }: Finding): boolean {
  return outcome === 'failed' || outcome === 'warned';
}

/** The worst that was found; skipped only where nothing was asked. */
function outcomeOf(findings: readonly Finding[]): Outcome {
  const order: readonly Outcome[] = ['failed', 'warned', 'passed', 'observed'];
  return order.find((outcome) => findings.some((one) => one.outcome === outcome)) ?? 'skipped';
}

/** What was seen, by endpoint where the endpoints differ. */
function seenIn(findings: readonly Finding[]): string | null {
  const texts = new Map<string, string[]>();
  for (const { observed, cell } of findings) {
    if (observed !== undefined)
      texts.set(observed, [...(texts.get(observed) ?? []), placeOf(cell)]);
  }
  if (texts.size === 0) return null;
  if (texts.size === 1) return [...texts.keys()][0] ?? null;
  return [...texts].map(([text, places]) => `${places.join(', ')}: ${text}`).join('; ');
}

function placeOf({ endpoint, about }: AskedCell): string {
  return [endpoint, about === undefined ? undefined : `(${about})`].filter(Boolean).join(' ');
}

function inOrder(endpoints: readonly Endpoint[]): Endpoint[] {
  return ENDPOINTS.filter((endpoint) => endpoints.includes(endpoint));
}

function variantsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.flatMap(({ cell }) => cell.about ?? []))];
}

function placeIn({ endpoint, about }: AskedCell) {
  return {
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(about === undefined ? {} : { variant: about }),
  };
}

function notAskedOf({
  cell,
  reason = 'no reason given',
  optional = cell.later,
}: Finding): NotAsked {
  return { ...placeIn(cell), reason, ...(optional ? { optional } : {}) };
}

function deviationOf({ cell, expected = '', observed = '' }: Finding): CellDeviation {
  return { ...placeIn(cell), expected, observed };
}
