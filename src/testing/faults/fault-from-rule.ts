import { randomInt } from 'node:crypto';
import { TicketscanError } from '../../core/errors.ts';
import { splitTicketCode } from '../../core/ticket-code.ts';
import { eventOfTicketId } from '../../core/ticket-id.ts';
import { findKey } from '../../features/keys/key-checks.ts';
import { HARDWARE_PATHS, HEARTBEAT_PATH, REST_PATHS } from '../../scan/http/scan-paths.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { FaultEffect, FaultRule } from './fault.ts';
import type { NewFault } from './fault-book.ts';

const PATHS: readonly string[] = [
  ...Object.values(REST_PATHS),
  ...Object.values(HARDWARE_PATHS),
  HEARTBEAT_PATH,
];

const ALWAYS_AFTER: readonly FaultEffect[] = ['truncated-body', 'malformed-body', 'lost-answer'];
const SEED_END = 2 ** 32;

/** Looks up what a rule names. @throws TicketscanError `usage` or `not_found` for what there is not */
export async function faultFromRule(store: RecordStore, rule: FaultRule): Promise<NewFault> {
  const { effect, when = 'before', endpoint = [] } = rule;
  const endpoints = typeof endpoint === 'string' ? [endpoint] : endpoint;
  for (const path of endpoints) {
    if (!PATHS.includes(path))
      throw new TicketscanError(
        'usage',
        `Unknown endpoint ${path}. Known endpoints: ${PATHS.join(', ')}.`,
      );
  }
  return {
    effect,
    when: ALWAYS_AFTER.includes(effect) ? 'after' : when,
    delay: rule.delay ?? null,
    endpoints,
    keyId: rule.key === undefined ? null : (await findKey(store, rule.key)).id,
    ticketId: rule.ticket === undefined ? null : ticketIdOf(rule.ticket),
    timesLeft: rule.times ?? null,
    probability: rule.probability ?? 1,
    seed: rule.seed ?? randomInt(SEED_END),
  };
}

/** The id of a ticket that is given by its code or id. @throws TicketscanError `usage` */
export function ticketIdOf(ticket: string): string {
  const ticketId = splitTicketCode(ticket)?.ticketId;
  if (ticketId !== undefined) return ticketId;
  if (eventOfTicketId(ticket) !== undefined) return ticket;
  throw new TicketscanError('usage', 'ticket is neither the code of a ticket nor its id.');
}
