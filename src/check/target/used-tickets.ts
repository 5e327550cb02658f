import { isRecord } from '../facts/json.ts';
import type { Exchange } from '../requests/exchange.ts';
import type { CaseResult } from '../results/result.ts';
import type { Run } from '../run/run-state.ts';
import type { TicketKind } from './target.ts';

const UNUSED_KINDS = [
  'single',
  'multi',
  'permanent',
  'personalised',
  'windowed',
  'openEnd',
  'openStart',
  'hundred',
] as const satisfies readonly TicketKind[];

/**
 * A remark when something failed and tickets that the target calls unused were used up all through the run:
 * then perhaps the target is to blame, and not the server.
 */
export function usedUpBefore(run: Run, cases: readonly CaseResult[]): string[] {
  if (!cases.some(({ outcome }) => outcome === 'failed')) return [];
  const unused = new Set(
    UNUSED_KINDS.flatMap((kind) => (run.target.tickets[kind] ?? []).map(({ code }) => code)),
  );
  const exhausted = new Set<string>();
  const entered = new Set<string>();
  for (const exchange of run.exchanges) {
    const code = codeIn(exchange);
    if (code === undefined || !unused.has(code)) continue;
    if (saysExhausted(exchange)) exhausted.add(code);
    else if (saysGood(exchange)) entered.add(code);
  }
  const usedUp = [...exhausted].filter((code) => !entered.has(code)).length;
  if (usedUp === 0) return [];
  return [
    `${usedUp} of the tickets that the target calls unused were used up and never good in this run. If an earlier run used them, that explains the failures: use a target with new tickets.`,
  ];
}

function codeIn({ request }: Exchange): string | undefined {
  try {
    const { ticketCode, Card } = JSON.parse(String(request.body));
    return typeof ticketCode === 'string'
      ? ticketCode
      : Buffer.from(Card, 'base64').toString('utf8');
  } catch {
    return undefined;
  }
}

function saysExhausted({ answer }: Exchange): boolean {
  const { json } = answer;
  return isRecord(json) && (json['status'] === 'exhausted' || json['Note'] === 'Ticket erschöpft');
}

function saysGood({ answer }: Exchange): boolean {
  const { json } = answer;
  return isRecord(json) && (json['valid'] === true || json['AcsRes'] === '1');
}
