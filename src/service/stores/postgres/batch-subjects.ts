import { monthOf } from '../../../core/clock.ts';
import type { BatchRequest } from '../../../core/scan-batch.ts';

/** What a batch will need to know, in the order in which it must be locked. */
export interface BatchSubjects {
  readonly keyIds: readonly string[];
  readonly eventIds: readonly string[];
  readonly months: readonly number[];
  /** Tickets that may be used: their rows are locked, in the order of their ids, so that two batches never wait in a circle. */
  readonly consumed: readonly string[];
  /** Tickets that are only looked at. */
  readonly validated: readonly string[];
  /** Names of stored answers, by key and name. */
  readonly retries: readonly { readonly keyId: string; readonly name: string }[];
}

export function subjectsOf(requests: readonly BatchRequest[]): BatchSubjects {
  const keyIds = new Set<string>();
  const eventIds = new Set<string>();
  const months = new Set<number>();
  const consumed = new Set<string>();
  const validated = new Set<string>();
  const retries = new Map<string, { keyId: string; name: string }>();
  for (const request of requests) {
    keyIds.add(request.keyId);
    if (request.kind !== 'scan') continue;
    const { keyId, subject, now, operation, retry } = request;
    months.add(monthOf(now));
    if (retry) retries.set(`${keyId} ${retry.name}`, { keyId, name: retry.name });
    if (subject.kind !== 'ticket') continue;
    eventIds.add(subject.eventId);
    (operation === 'consume' ? consumed : validated).add(subject.ticketId);
  }
  for (const ticketId of consumed) validated.delete(ticketId);
  return {
    keyIds: [...keyIds].sort(),
    eventIds: [...eventIds],
    months: [...months],
    consumed: [...consumed].sort(),
    validated: [...validated],
    retries: [...retries].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, retry]) => retry),
  };
}
