import { timesOf } from '../../kit/text.ts';
import { type AskedCell, Inconclusive, NotApplicable } from '../cases/case.ts';
import type { Level } from '../cases/level.ts';
import { Scan } from '../cases/scan.ts';
import { KeyAccessError } from '../key-changes/spare-keys.ts';
import { joinUrl } from '../requests/connection.ts';
import { type Endpoint, type Exchange, endpointAt, readEndpoint } from '../requests/exchange.ts';
import { curlLine } from '../requests/redact.ts';
import type { Evidence, Outcome } from '../results/result.ts';
import type { Run } from '../run/run-state.ts';
import type { CellResult } from './combine.ts';
import { CheckerBug, Deviation, TransportFailure, UnreachableError } from './deviation.ts';

const BODY_CHARACTERS_SHOWN = 1000;

/** Asks one question. Throws only for a bug of this program. */
export async function judge(cell: AskedCell, run: Run): Promise<CellResult> {
  const skip = run.plan.skipped.get(cell.name);
  const base = { cell, asked: [], touched: [], requests: 0 };
  if (skip) return { ...base, outcome: 'skipped', ...skip };
  const owner = { id: cell.name, level: cell.level, ...(cell.later ? { later: cell.later } : {}) };
  const scan = new Scan(run, owner, run.ticketsOf(cell.name));
  const found = heldBack(await outcomeOf(cell, scan, run), cell, run);
  const { exchange, ...rest } = found;
  return {
    ...base,
    asked: found.outcome === 'skipped' ? [] : askedBy(cell, scan),
    touched: touchedBy(cell, scan),
    requests: scan.requests,
    ...clean(rest, run),
    ...(exchange ? shownBy(exchange, found.outcome, run) : {}),
    ...(exchange ? { exchange, endpoint: cell.endpoint ?? endpointAt(exchange.request) } : {}),
  };
}

/** What is good only because a request was sent again is not called good. */
function heldBack(found: Found, { name, samples = [] }: AskedCell, run: Run): Found {
  const lost = [name, ...samples].reduce((sum, one) => sum + (run.losses.get(one) ?? 0), 0);
  if (found.outcome !== 'passed' || lost === 0) return found;
  const reason = `the connection was lost ${timesOf(lost)}; when the request was sent again, the answer was right`;
  return { outcome: 'unanswered', reason };
}

type Found = Pick<
  CellResult,
  'silent' | 'outcome' | 'expected' | 'observed' | 'reason' | 'optional' | 'exchange' | 'fields'
>;

async function outcomeOf(cell: AskedCell, scan: Scan, run: Run): Promise<Found> {
  try {
    const seen = await cell.run(scan);
    if (seen instanceof Inconclusive) return { outcome: 'skipped', reason: seen.reason };
    if (seen instanceof NotApplicable)
      return { outcome: 'observed', observed: `not applicable: ${seen.reason}` };
    if (cell.endpoint && !scan.asked.has(cell.endpoint))
      throw new CheckerBug(`${cell.name} asked nothing of that endpoint`);
    return {
      outcome: cell.level === 'unstated' ? 'observed' : 'passed',
      ...(seen === undefined ? {} : { observed: seen }),
      ...(cell.level === 'unstated' ? { exchange: scan.last } : {}),
    };
  } catch (error) {
    return outcomeOfError(error, cell, scan, run);
  }
}

function outcomeOfError(error: unknown, cell: AskedCell, scan: Scan, run: Run): Found {
  if (error instanceof Deviation) return deviating(cell, error, scan.last);
  if (error instanceof CheckerBug) {
    run.ownFaults.push(error.message);
    const reason = `an error of the checker, not of the service: ${error.message}`;
    return { outcome: 'skipped', reason };
  }
  if (error instanceof KeyAccessError)
    return {
      outcome: 'skipped',
      reason: error.message,
      ...(error.optional ? { optional: true } : {}),
    };
  if (error instanceof UnreachableError) return { outcome: 'skipped', reason: error.message };
  if (!(error instanceof TransportFailure)) throw error;
  if (error.kind === 'stopped') return { outcome: 'skipped', reason: error.message };
  return { outcome: 'unanswered', reason: error.message, silent: error.request };
}

/** A request that is not answered however often it is sent: a deviation, for the first case that sends it. */
export function neverAnswered(found: CellResult, run: Run): CellResult {
  const { cell, silent, reason = '', ...rest } = found;
  if (!silent || cell.level === 'unstated' || cell.later) return found;
  return {
    ...rest,
    cell,
    silent,
    outcome: outcomeOfDeviation(cell.level),
    endpoint: endpointAt(silent),
    expected: 'an answer',
    observed: run.redactor.redact(
      `none, ${run.mayBeGranted(silent) ? 'also with other tickets' : 'however often it was sent'}: ${reason}`,
    ),
    reproduce: curlLine(run.baseUrl, silent, run.redactor),
  };
}

/** What came after the requirement set of the run deviates without consequences. */
function deviating(
  { level, later }: AskedCell,
  { expected, observed, fields, exchange: shown }: Deviation,
  last: Exchange | undefined,
): Found {
  const exchange = shown ?? last;
  if (!later) return { outcome: outcomeOfDeviation(level), expected, observed, exchange, fields };
  const text = `deviates from a requirement newer than the requirement set: expected ${expected}; observed ${observed}`;
  return { outcome: 'observed', expected, observed: text, exchange };
}

/** Also those of shared answers that were made for another question. */
function touchedBy({ samples = [] }: AskedCell, scan: Scan): readonly Endpoint[] {
  const shared = samples.flatMap((name) => readEndpoint(name.split('@')[1] ?? '') ?? []);
  return [...new Set([...scan.asked, ...shared])];
}

/** A cell may end before it comes to its endpoint: when a ticket is not as expected, or when there is nothing to ask. */
function askedBy({ endpoint }: AskedCell, scan: Scan): readonly Endpoint[] {
  return [...scan.asked].filter((one) => endpoint === undefined || one === endpoint);
}

function outcomeOfDeviation(level: Level): Outcome {
  if (level === 'stated') return 'failed';
  return level === 'observed' ? 'warned' : 'observed';
}

function clean(found: Omit<Found, 'exchange'>, run: Run): Omit<Found, 'exchange'> {
  return Object.fromEntries(
    Object.entries(found).map(([name, value]) => [
      name,
      typeof value === 'string' ? run.redactor.redact(value) : value,
    ]),
  ) as unknown as Omit<Found, 'exchange'>;
}

function shownBy(exchange: Exchange, outcome: Outcome, run: Run) {
  const deviates = outcome === 'failed' || outcome === 'warned';
  return {
    reproduce: curlLine(run.baseUrl, exchange.request, run.redactor),
    ...(deviates ? { evidence: evidenceOf(exchange, run) } : {}),
  };
}

/** The exchange as text, as it went over the wire but for the keys and the length of bodies. */
function evidenceOf(exchange: Exchange, run: Run): Evidence {
  const { request, answer } = exchange;
  const lines = [`${request.method ?? 'POST'} ${joinUrl(run.baseUrl, request)}`];
  for (const [name, value] of request.headers ?? []) lines.push(`${name}: ${value}`);
  const body = request.body === undefined ? '' : Buffer.from(request.body).toString('utf8');
  const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${value}`);
  const { redactor } = run;
  return {
    request: redactor.redact([...lines, '', cutText(body)].join('\n').trim()),
    response: redactor.redact(
      [`HTTP ${answer.status}`, ...headers, '', cutText(answer.body)].join('\n').trim(),
    ),
  };
}

function cutText(text: string): string {
  if (text.length <= BODY_CHARACTERS_SHOWN) return text;
  return `${text.slice(0, BODY_CHARACTERS_SHOWN)}… (${text.length} characters)`;
}
