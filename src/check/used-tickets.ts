import type { Exchange } from './exchange.ts';
import { isRecord } from './facts/json.ts';
import type { CaseResult } from './result.ts';
import type { Run } from './run-state.ts';
import type { TicketKind } from './target.ts';

const UNUSED_KINDS = [
  'single',
  'multi',
  'permanent',
  'personalised',
  'windowed',
] as const satisfies readonly TicketKind[];

/**
 * A remark when something failed and tickets that the target calls unused were used up when they were first looked at:
 * then perhaps the target is to blame, and not the server.
 */
export function usedUpBefore(run: Run, cases: readonly CaseResult[]): string[] {
  if (!cases.some(({ outcome }) => outcome === 'failed')) return [];
  const unused = new Set(
    UNUSED_KINDS.flatMap((kind) => (run.target.tickets[kind] ?? []).map(({ code }) => code)),
  );
  const seen = new Set<string>();
  let usedUp = 0;
  for (const exchange of run.exchanges) {
    const code = codeIn(exchange);
    if (code === undefined || seen.has(code) || !unused.has(code)) continue;
    seen.add(code);
    if (exchange.request.path.endsWith('/validate') && saysExhausted(exchange)) usedUp += 1;
  }
  if (usedUp === 0) return [];
  return [
    `${usedUp} of the tickets that the target calls unused were used up when they were first looked at. If an earlier run spent them, the failures come from that: give check a target with new tickets.`,
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
