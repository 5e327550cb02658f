import type { Clock } from '../../core/clock.ts';
import { follow, type ReaderGap, searchIn } from '../manage/log-reader.ts';
import type { LogPage } from '../stores/log-search.ts';
import type { Store } from '../stores/store.ts';
import {
  eventOfEntry,
  type Gap,
  gapMessage,
  type Message,
  type Names,
  noticeMessage,
  scanMessage,
} from './message.ts';
import type { Notice, NoticesRecord, WebhookProgress, WebhookRecord } from './webhook-records.ts';

const PAGE_ENTRIES = 200;

type Place = Pick<WebhookProgress, 'afterSequence' | 'afterNotice'>;

/** A message, and where its endpoint stands once it has it. Without a message nothing is to be sent until there. */
export interface Step {
  readonly message: Message | undefined;
  readonly place: Place;
}

export interface FeedDeps {
  readonly store: Pick<Store, 'searchLog' | 'listEvents' | 'listKeys'>;
  readonly clock: Clock;
  readonly notices: (organisationId: string) => NoticesRecord | undefined;
}

/**
 * What comes next for an endpoint, until there is nothing more for now: scans by the log, and each notice after the scan that was
 * the newest when it was found.
 * @param webhook people change it meanwhile
 */
export async function* feed(
  deps: FeedDeps,
  webhook: () => WebhookRecord,
  from: Place,
): AsyncGenerator<Step> {
  const { id, organisationId } = webhook();
  const search = searchIn(deps.store, { organisationId }, PAGE_ENTRIES);
  let place = from;
  for await (const page of follow(search, { after: from.afterSequence, pauseMs: 0 })) {
    const record = deps.notices(organisationId);
    const gap = gapIn(page, place, record);
    if (gap) {
      yield { message: gapMessage(id, gap.gap, deps.clock.now()), place: gap.place };
      yield* feed(deps, webhook, gap.place);
      return;
    }
    const names = page.entries.length > 0 ? await namesIn(deps.store) : NO_NAMES;
    const before = place;
    for (const step of stepsIn(page, place, { record, webhook, names })) {
      yield step;
      place = step.place;
    }
    if (place === before) return;
  }
}

/** What a page and the notices beside it give. */
function* stepsIn(
  { entries, searchedTo }: LogPage,
  place: Place,
  { record, webhook, names }: Telling,
): Generator<Step> {
  let { afterSequence, afterNotice } = place;
  const notices = (record?.notices ?? []).filter(
    (one) => one.number > afterNotice && one.afterSequence <= searchedTo,
  );
  const told = (notice: Notice): Step => {
    afterNotice = notice.number;
    const { id, events } = webhook();
    const message = events.includes(notice.type) ? noticeMessage(id, notice) : undefined;
    return { message, place: { afterSequence, afterNotice } };
  };
  for (const entry of entries) {
    while (notices[0] && notices[0].afterSequence < entry.sequence) {
      yield told(notices.shift() as Notice);
    }
    afterSequence = entry.sequence;
    const { id, events } = webhook();
    const type = eventOfEntry(entry);
    const isWanted = type !== undefined && events.includes(type);
    const message = isWanted ? scanMessage(id, type, entry, names) : undefined;
    yield { message, place: { afterSequence, afterNotice } };
  }
  for (const notice of notices) yield told(notice);
  if (searchedTo > afterSequence) {
    yield { message: undefined, place: { afterSequence: searchedTo, afterNotice } };
  }
}

interface Telling {
  readonly record: NoticesRecord | undefined;
  readonly webhook: () => WebhookRecord;
  readonly names: Names;
}

/** What lies after a place and is not there any more: pruning does not wait for webhooks, and a log may be replaced. */
function gapIn(
  { newest, gap: lost }: Pick<LogPage, 'newest'> & { readonly gap?: ReaderGap },
  { afterSequence, afterNotice }: Place,
  record: NoticesRecord | undefined,
): { gap: Gap; place: Place } | undefined {
  const newestNotice = record?.newest ?? 0;
  if (lost?.reason === 'log_replaced' || newestNotice < afterNotice) {
    const place = { afterSequence: newest, afterNotice: newestNotice };
    const gap = { fromSequence: null, toSequence: null, notices: 0 };
    return { gap: { ...gap, reason: 'log_replaced' }, place };
  }
  const oldestNotice = record?.notices[0]?.number ?? newestNotice + 1;
  const notices = Math.max(0, oldestNotice - afterNotice - 1);
  if (!lost && notices === 0) return undefined;
  const { fromSequence = null, toSequence = null } = lost ?? {};
  return {
    gap: { fromSequence, toSequence, notices, reason: 'pruned' },
    place: {
      afterSequence: toSequence ?? afterSequence,
      afterNotice: afterNotice + notices,
    },
  };
}

const NO_NAMES: Names = { events: new Map(), keys: new Map() };

async function namesIn(store: FeedDeps['store']): Promise<Names> {
  const [events, keys] = await Promise.all([store.listEvents(), store.listKeys()]);
  return {
    events: new Map(events.map((event) => [event.id, event])),
    keys: new Map(keys.map((key) => [key.id, key])),
  };
}
