import { isoTime } from '../../../../core/clock.ts';
import { logEntryFromView } from '../../../../core/codecs/log-entry.ts';
import { RefusalListJson } from '../../../../core/codecs/records.ts';
import type { SeenRefusals } from '../../../../core/refusal-counts.ts';
import type { AdminClient } from '../../../../operations/admin-client.ts';
import { PAGE_ITEMS_MAX } from '../../../../operations/fields.ts';
import { LogList } from '../../../admin/wire/log.ts';
import type { LogConditions, ReadLogPage } from '../../../manage/log-reader.ts';
import type { DataLog } from '../data-types.ts';

/** The scan log of a server, of the organisation that the token belongs to. */
export class RemoteLog implements DataLog {
  readonly #client: AdminClient;

  constructor(client: AdminClient) {
    this.#client = client;
  }

  async page(conditions: LogConditions, limit: number): Promise<ReadLogPage> {
    const { ticketId, keyId, eventId, outcome, serial, fromAt, untilAt } = conditions;
    const page = await this.#client.get('/log', LogList, {
      ticket: ticketId,
      key: keyId,
      event: eventId,
      outcome,
      serial,
      from: isoTime(fromAt ?? null) ?? undefined,
      until: isoTime(untilAt ?? null) ?? undefined,
      before: conditions.beforeSequence,
      after: conditions.afterSequence,
      limit: Math.min(limit, PAGE_ITEMS_MAX),
    });
    const entries = page.items.map(logEntryFromView);
    const { gap, next, searchedBackTo: searchedTo } = page;
    return { entries, searchedTo, ended: next === null, ...(gap && { gap }) };
  }

  async refusals(): Promise<SeenRefusals> {
    const { items, ...seen } = await this.#client.get('/refusals', RefusalListJson);
    return { rows: items, ...seen };
  }
}
