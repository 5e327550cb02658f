import { ENDPOINTS, type Endpoint } from '../facts/exchange.ts';
import type { Level } from '../facts/level.ts';
import {
  type AskedCell,
  type Case,
  cellsOf,
  levelOf,
  sectionOf,
  type TicketCounts,
} from './case.ts';

/** A case as `--list` and `--explain` show it. */
export interface CaseDescription {
  readonly id: string;
  readonly section: string;
  readonly level: Level;
  readonly requirement: string;
  readonly cause?: string;
  /** Where it is asked, and how much the specification says about it there; empty for a sequence over several. */
  readonly endpoints: readonly { readonly endpoint: Endpoint; readonly level: Level }[];
  /** The ways in which it is asked there. */
  readonly variants: readonly string[];
  readonly keys: readonly string[];
  readonly tickets: TicketCounts;
  /** Uses that it spends at most; undefined when it never sends a good ticket to a consume endpoint. */
  readonly uses?: TicketCounts;
  readonly samples: readonly string[];
  /** Hooks that it needs, where no access token is given. */
  readonly hooks: readonly string[];
  readonly rateLimits: boolean;
}

/** Describes cases, on whatever they are, without running any. */
export function describeCases(cases: readonly Case<never>[]): CaseDescription[] {
  return cases.map((one) => {
    const cells = cellsOf(one);
    const spending = cells.filter(({ uses }) => uses !== undefined);
    return {
      id: one.id,
      section: sectionOf(one.id),
      level: levelOf(one),
      requirement: one.requirement,
      ...(one.cause === undefined ? {} : { cause: one.cause }),
      endpoints: endpointsOf(cells),
      variants: [...new Set(cells.flatMap(({ variant }) => variant ?? []))],
      keys: [...new Set(cells.flatMap(({ keys = [] }) => keys))],
      tickets: sumOf(cells.map(({ tickets }) => tickets)),
      ...(spending.length > 0 ? { uses: sumOf(spending.map(({ uses }) => uses)) } : {}),
      samples: [...new Set(cells.flatMap(({ samples = [] }) => samples))],
      hooks: [...new Set(cells.flatMap(({ changes = [] }) => changes))],
      rateLimits: one.phase === 'rate-limits',
    };
  });
}

function endpointsOf(cells: readonly AskedCell<never>[]): CaseDescription['endpoints'] {
  return ENDPOINTS.flatMap((endpoint) => {
    const cell = cells.find((one) => one.endpoint === endpoint);
    return cell ? [{ endpoint, level: cell.level }] : [];
  });
}

function sumOf(counts: readonly (TicketCounts | undefined)[]): TicketCounts {
  const sums: Record<string, number> = {};
  for (const [kind, count] of counts.flatMap((one) => Object.entries(one ?? {})))
    sums[kind] = (sums[kind] ?? 0) + count;
  return sums;
}
