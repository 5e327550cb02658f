import { type CheckCase, NotApplicable, type Seen, sectionOf } from './case.ts';
import { curlLine } from './curl.ts';
import { Deviation, TransportFailure, UnreachableError } from './deviation.ts';
import { describeAnswer, type Exchange } from './exchange.ts';
import { joinUrl } from './http-failure.ts';
import type { CaseResult, Evidence, Outcome } from './result.ts';
import type { Run } from './run-state.ts';
import { Scan } from './scan.ts';

const BODY_CHARACTERS_SHOWN = 1000;

/** Runs one case and turns whatever happens into its result. Throws only what is this program's own fault. */
export async function judge(one: CheckCase, run: Run): Promise<CaseResult> {
  const reason = run.plan.skipped.get(one.id);
  if (reason !== undefined) return resultOf(one, run, { outcome: 'skipped', reason });
  const scan = new Scan(run, one, run.plan.tickets.get(one.id) ?? {});
  const started = performance.now();
  const finding = await findingOf(one, scan);
  return resultOf(one, run, finding, performance.now() - started);
}

interface Finding {
  readonly outcome: Outcome;
  readonly expected?: string;
  readonly observed?: string;
  readonly reason?: string;
  readonly exchange?: Exchange | undefined;
}

async function findingOf(one: CheckCase, scan: Scan): Promise<Finding> {
  try {
    return kept(one, await one.run(scan), scan);
  } catch (error) {
    if (error instanceof Deviation) {
      const { expected, observed, exchange = scan.last } = error;
      return { outcome: outcomeOfDeviation(one), expected, observed, exchange };
    }
    if (error instanceof UnreachableError) return { outcome: 'skipped', reason: error.message };
    if (!(error instanceof TransportFailure)) throw error;
    if (error.kind === 'stopped') return { outcome: 'skipped', reason: error.message };
    return {
      outcome: outcomeOfDeviation(one),
      expected: 'a complete HTTP answer',
      observed: `${error.message}; the request was not repeated`,
      exchange: scan.last,
    };
  }
}

function kept(one: CheckCase, seen: Seen, scan: Scan): Finding {
  if (seen instanceof NotApplicable) return { outcome: 'skipped', reason: seen.reason };
  return {
    outcome: one.level === 'unstated' ? 'observed' : 'passed',
    ...(seen === undefined ? {} : { observed: seen }),
    ...(one.level === 'unstated' ? { exchange: scan.last } : {}),
  };
}

function outcomeOfDeviation(one: CheckCase): Outcome {
  if (one.level === 'stated') return 'failed';
  return one.level === 'observed' ? 'warned' : 'observed';
}

function resultOf(one: CheckCase, run: Run, finding: Finding, durationMs = 0): CaseResult {
  const { outcome, exchange } = finding;
  const deviates = outcome === 'failed' || outcome === 'warned';
  const clean = (text: string | undefined) =>
    text === undefined ? null : run.redactor.redact(text);
  return {
    id: one.id,
    section: sectionOf(one.id),
    level: one.level,
    outcome,
    requirement: one.requirement,
    expected: clean(finding.expected),
    observed: clean(finding.observed),
    reproduce: exchange ? curlLine(run.baseUrl, exchange.request, run.redactor) : null,
    durationMs: Math.round(durationMs * 10) / 10,
    likelyCause: deviates ? one.cause : null,
    reason: clean(finding.reason),
    evidence: deviates && exchange ? evidenceOf(exchange, run) : null,
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
    return `It answers with a redirect to ${location}, which is not followed. Is that the right base address?`;
  }
  if (/html/i.test(type) || /^\s*<(!doctype|html)/i.test(answer.body)) {
    return `It answers with an HTML page (${describeAnswer(answer, 60).replace(/\s+/g, ' ')}): the base address is that of a web page or of a proxy, not of a scan service.`;
  }
  if (answer.cut) return 'Its answer goes on beyond 256 KiB; no more of it was read.';
  return undefined;
}
