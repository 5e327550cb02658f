import { type AskedCell, NotApplicable, Undecided } from '../cases/case.ts';
import type { Level } from '../cases/level.ts';
import { Scan } from '../cases/scan.ts';
import { KeyAccessError } from '../key-changes/access.ts';
import { curlLine } from '../requests/curl.ts';
import { type Endpoint, endpointAt } from '../requests/endpoint.ts';
import { describeAnswer, type Exchange } from '../requests/exchange.ts';
import { joinUrl } from '../requests/http-failure.ts';
import type { Evidence, Outcome } from '../results/result.ts';
import type { Run } from '../run/run-state.ts';
import type { CellResult } from './combine.ts';
import { CheckerFault, Deviation, TransportFailure, UnreachableError } from './deviation.ts';

const BODY_CHARACTERS_SHOWN = 1000;

/** Asks one question. Throws only for a bug of this program. */
export async function judge(cell: AskedCell, run: Run): Promise<CellResult> {
  const skip = run.plan.skipped.get(cell.name);
  const base = { cell, asked: [], requests: 0 };
  if (skip) return { ...base, outcome: 'skipped', ...skip };
  const owner = { id: cell.name, level: cell.level, ...(cell.later ? { later: cell.later } : {}) };
  const scan = new Scan(run, owner, run.ticketsOf(cell.name));
  const found = await outcomeOf(cell, scan, run);
  const { exchange, ...rest } = found;
  return {
    ...base,
    asked: found.outcome === 'skipped' ? [] : askedBy(cell, scan),
    requests: scan.requests,
    ...clean(rest, run),
    ...(exchange ? shownBy(exchange, found.outcome, run) : {}),
    ...(exchange ? { exchange, endpoint: cell.endpoint ?? endpointAt(exchange.request) } : {}),
  };
}

type Found = Pick<
  CellResult,
  'outcome' | 'expected' | 'observed' | 'reason' | 'optional' | 'exchange' | 'fields'
>;

async function outcomeOf(cell: AskedCell, scan: Scan, run: Run): Promise<Found> {
  try {
    const seen = await cell.run(scan);
    if (seen instanceof Undecided) return { outcome: 'skipped', reason: seen.reason };
    if (seen instanceof NotApplicable)
      return { outcome: 'observed', observed: `not applicable: ${seen.reason}` };
    if (cell.endpoint && !scan.asked.has(cell.endpoint))
      throw new CheckerFault(`${cell.name} asked nothing of that endpoint`);
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
  if (error instanceof CheckerFault) {
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
  return { outcome: 'unanswered', reason: error.message };
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

/** One line on an answer that is no answer of a scan service at all, or undefined. */
export function hintOn(exchange: Exchange): string | undefined {
  const { answer } = exchange;
  const type = answer.headers['content-type'] ?? '';
  const location = answer.headers['location'];
  if (answer.status >= 300 && answer.status < 400 && location !== undefined) {
    return `It answers with a redirect to ${location}, which is not followed. Check the base address.`;
  }
  if (/html/i.test(type) || /^\s*<(!doctype|html)/i.test(answer.body)) {
    return `It answers with an HTML page (${describeAnswer(answer, 60).replace(/\s+/g, ' ')}): the base address is that of a web page or of a proxy, not of a scan service.`;
  }
  if (answer.cut) return 'Its answer is longer than 256 KiB; the rest was not read.';
  return undefined;
}
