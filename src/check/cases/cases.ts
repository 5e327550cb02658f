import { type Selection, selectCases } from '../planning/select.ts';
import { ENDPOINTS, type Endpoint } from '../requests/exchange.ts';
import { HTTPS_CASES } from '../sections/1-https.ts';
import { PURPOSE_CASES } from '../sections/1-purpose.ts';
import { FORGED_CODE_CASES } from '../sections/2.2-forged-codes.ts';
import { RESPELLED_CODE_CASES } from '../sections/2.2-respelled-codes.ts';
import { TICKET_CASES } from '../sections/2.2-tickets.ts';
import { FIELD_CASES } from '../sections/2.3-fields.ts';
import { RESULT_REVIEW_CASES } from '../sections/2.3-review.ts';
import { CARD_CASES, DEVICE_FORMAT_CASES } from '../sections/2.4-devices.ts';
import { KEY_CHANGE_CASES } from '../sections/3.1-key-changes.ts';
import { KEY_STATE_CASES } from '../sections/3.1-key-states.ts';
import { RACE_CASES } from '../sections/3.2-races.ts';
import { COUNTER_CASES } from '../sections/3.2-use-counter.ts';
import { USES_CASES } from '../sections/3.2-uses.ts';
import { HEARTBEAT_CASES } from '../sections/4.5-heartbeat.ts';
import { CLIENT_HEADER_CASES } from '../sections/4-client-headers.ts';
import { ENDPOINT_CASES } from '../sections/4-endpoints.ts';
import { FURTHER_MEMBER_CASES } from '../sections/4-further-members.ts';
import { KEY_CASES } from '../sections/5-keys.ts';
import { APART_CASES } from '../sections/5-requests-apart.ts';
import { SCOPE_CASES } from '../sections/5-scope.ts';
import { SCOPED_KEY_CASES } from '../sections/5-scoped-keys.ts';
import { STATUS_CASES } from '../sections/7.1-status-codes.ts';
import { ERROR_BODY_CASES } from '../sections/7.2-error-bodies.ts';
import { NOTE_CASES } from '../sections/7.3-device-notes.ts';
import { RATE_LIMIT_CASES } from '../sections/8-rate-limits.ts';
import {
  type AskedCell,
  type CheckCase,
  cellsOf,
  levelOf,
  sectionOf,
  type TicketCounts,
} from './case.ts';
import type { Level } from './level.ts';

/** Every case, in the order of the specification. */
export const CASES: readonly CheckCase[] = [
  ...HTTPS_CASES,
  ...PURPOSE_CASES,
  ...TICKET_CASES,
  ...FORGED_CODE_CASES,
  ...RESPELLED_CODE_CASES,
  ...FIELD_CASES,
  ...RESULT_REVIEW_CASES,
  ...DEVICE_FORMAT_CASES,
  ...CARD_CASES,
  ...KEY_STATE_CASES,
  ...KEY_CHANGE_CASES,
  ...COUNTER_CASES,
  ...USES_CASES,
  ...RACE_CASES,
  ...ENDPOINT_CASES,
  ...CLIENT_HEADER_CASES,
  ...FURTHER_MEMBER_CASES,
  ...HEARTBEAT_CASES,
  ...KEY_CASES,
  ...SCOPE_CASES,
  ...SCOPED_KEY_CASES,
  ...APART_CASES,
  ...STATUS_CASES,
  ...ERROR_BODY_CASES,
  ...NOTE_CASES,
  ...RATE_LIMIT_CASES,
];

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

/** Describes every case, without running any. */
export function listCases(): CaseDescription[] {
  return CASES.map((one) => {
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

function endpointsOf(cells: readonly AskedCell[]): CaseDescription['endpoints'] {
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

/** The ids that a selection takes. @throws CheckUsageError when a pattern matches nothing */
export function selectCaseIds(selection: Selection): string[] {
  return selectCases(CASES, selection).map(({ id }) => id);
}
