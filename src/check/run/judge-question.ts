import { timesOf } from '../../kit/text.ts';
import type { AskedCell, Seen } from '../cases/case.ts';
import { Scan } from '../cases/scan.ts';
import { type Endpoint, type Exchange, endpointAt, readEndpoint } from '../facts/exchange.ts';
import { CheckerBug, TransportFailure, UnreachableError } from '../facts/failures.ts';
import type { CellResult } from '../judging/combine.ts';
import { evidenceOf } from '../judging/evidence.ts';
import {
  type Found,
  outcomeOf,
  outcomeOfDeviation,
  redacted,
  skipped,
} from '../judging/outcome.ts';
import { KeyAccessError } from '../key-changes/spare-keys.ts';
import { joinUrl } from '../requests/connection.ts';
import { curlLine } from '../requests/redact.ts';
import { type CaseOutcome, type Evidence, isDeviation } from '../results/result.ts';
import type { Run } from './run-state.ts';

/** Asks one question of a server. Throws only for a bug of this program. */
export async function judge(cell: AskedCell, run: Run): Promise<CellResult> {
  const skip = run.plan.skipped.get(cell.name);
  const base = { cell, asked: [], touched: [], requests: 0 };
  if (skip) return { ...base, outcome: 'skipped', ...skip };
  const owner = { id: cell.name, level: cell.level, ...(cell.later ? { later: cell.later } : {}) };
  const scan = new Scan(run, owner, run.ticketsOf(cell.name));
  const found = heldBack(await ask(cell, scan, run), cell, run);
  const { exchange } = found;
  return {
    ...base,
    asked: found.outcome === 'skipped' ? [] : askedBy(cell, scan),
    touched: touchedBy(cell, scan),
    requests: scan.requests,
    ...redacted(found, run.redactor),
    ...(exchange ? shownBy(exchange, found.outcome, run) : {}),
    ...(exchange ? { endpoint: cell.endpoint ?? endpointAt(exchange.request) } : {}),
  };
}

/** What is good only because a request was sent again is not called good. */
function heldBack(found: Answered, { name, samples = [] }: AskedCell, run: Run): Answered {
  const lost = [name, ...samples].reduce((sum, one) => sum + (run.losses.get(one) ?? 0), 0);
  if (found.outcome !== 'passed' || lost === 0) return found;
  const reason = `the connection was lost ${timesOf(lost)}; when the request was sent again, the answer was right`;
  return { outcome: 'unanswered', reason };
}

/** What came of a question to a server, or the request that never got an answer. */
type Answered = Found<Exchange> & Pick<CellResult, 'silent'>;

async function ask(cell: AskedCell, scan: Scan, run: Run): Promise<Answered> {
  try {
    return await outcomeOf(
      cell,
      () => seenBy(cell, scan),
      () => scan.last,
    );
  } catch (error) {
    return outcomeOfError(error, run);
  }
}

/** A question that is content must have asked what it is about. @throws CheckerBug when it did not */
async function seenBy(cell: AskedCell, scan: Scan): Promise<Seen> {
  const seen = await cell.run(scan);
  const isContent = seen === undefined || typeof seen === 'string';
  if (isContent && cell.endpoint && !scan.asked.has(cell.endpoint))
    throw new CheckerBug(`${cell.name} asked nothing of that endpoint`);
  return seen;
}

function outcomeOfError(error: unknown, run: Run): Answered {
  if (error instanceof CheckerBug) {
    run.ownFaults.push(error.message);
    return skipped(`an error of the checker, not of the service: ${error.message}`);
  }
  if (error instanceof KeyAccessError) return skipped(error.message, error.optional);
  if (error instanceof UnreachableError) return skipped(error.message);
  if (!(error instanceof TransportFailure)) throw error;
  if (error.kind === 'stopped') return skipped(error.message);
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

/** Also those of shared answers that were made for another question. */
function touchedBy({ samples = [] }: AskedCell, scan: Scan): readonly Endpoint[] {
  const shared = samples.flatMap((name) => readEndpoint(name.split('@')[1] ?? '') ?? []);
  return [...new Set([...scan.asked, ...shared])];
}

/** A cell may end before it comes to its endpoint: when a ticket is not as expected, or when there is nothing to ask. */
function askedBy({ endpoint }: AskedCell, scan: Scan): readonly Endpoint[] {
  return [...scan.asked].filter((one) => endpoint === undefined || one === endpoint);
}

function shownBy(exchange: Exchange, outcome: CaseOutcome, run: Run) {
  return {
    reproduce: curlLine(run.baseUrl, exchange.request, run.redactor),
    ...(isDeviation({ outcome }) ? { evidence: evidenceIn(exchange, run) } : {}),
  };
}

function evidenceIn({ request, answer }: Exchange, { baseUrl, redactor }: Run): Evidence {
  const { method = 'POST', headers = [], body = '', isChunked } = request;
  return evidenceOf(
    {
      line: `${method} ${joinUrl(baseUrl, request)}`,
      headers: isChunked ? [...headers, ['transfer-encoding', 'chunked']] : headers,
      body: Buffer.from(body).toString('utf8'),
    },
    {
      line: `HTTP ${answer.status}`,
      headers: Object.entries(answer.headers),
      body: answer.body,
    },
    redactor,
  );
}
