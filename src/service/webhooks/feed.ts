import { gapAfter, type LogPage } from '../stores/log-search.ts';
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
const STEP_ENTRIES = 10_000;

export type FeedStore = Pick<Store, 'searchLog' | 'listEvents' | 'listKeys'>;

export type Place = Pick<WebhookProgress, 'afterSequence' | 'afterNotice'>;

/** A message, and where its endpoint stands once it has it. Without a message nothing is to be sent until there. */
export interface Step {
  readonly message: Message | undefined;
  readonly place: Place;
}

export interface Feed {
  /** In the order in which they are to be delivered. */
  readonly steps: readonly Step[];
  /** True when there is nothing more for now. */
  readonly ended: boolean;
}

/** What comes next for an endpoint: scans by the log, and each notice after the scan that was the newest when it was found. */
export async function readFeed(
  store: FeedStore,
  webhook: WebhookRecord,
  place: Place,
  noticesRecord: NoticesRecord | undefined,
  now: number,
): Promise<Feed> {
  const page = await store.searchLog({
    organisationId: webhook.organisationId,
    afterSequence: place.afterSequence,
    limit: PAGE_ENTRIES,
    searchMax: STEP_ENTRIES,
  });
  const gap = gapIn(page, place, noticesRecord);
  if (gap) {
    const message = gapMessage(webhook.id, gap.gap, now);
    return { steps: [{ message, place: gap.place }], ended: false };
  }
  const { entries, searchedTo, ended } = page;
  const names = entries.length > 0 ? await namesIn(store) : NO_NAMES;
  const notices = (noticesRecord?.notices ?? []).filter(
    ({ number, afterSequence }) => number > place.afterNotice && afterSequence <= searchedTo,
  );
  const steps: Step[] = [];
  let { afterSequence, afterNotice } = place;
  const tell = (notice: Notice) => {
    afterNotice = notice.number;
    const message = webhook.events.includes(notice.type)
      ? noticeMessage(webhook.id, notice)
      : undefined;
    steps.push({ message, place: { afterSequence, afterNotice } });
  };
  for (const entry of entries) {
    while (notices[0] && notices[0].afterSequence < entry.sequence) tell(notices.shift() as Notice);
    afterSequence = entry.sequence;
    const type = eventOfEntry(entry);
    const isWanted = type !== undefined && webhook.events.includes(type);
    const message = isWanted ? scanMessage(webhook.id, type, entry, names) : undefined;
    steps.push({ message, place: { afterSequence, afterNotice } });
  }
  for (const notice of notices) tell(notice);
  if (searchedTo > afterSequence) {
    steps.push({ message: undefined, place: { afterSequence: searchedTo, afterNotice } });
  }
  return { steps, ended };
}

/** What lies after a place and is not there any more: pruning does not wait for webhooks, and a log may be replaced. */
function gapIn(
  page: LogPage,
  { afterSequence, afterNotice }: Place,
  record: NoticesRecord | undefined,
): { gap: Gap; place: Place } | undefined {
  const newestNotice = record?.newest ?? 0;
  const lost = gapAfter(afterSequence, page);
  if (lost?.reason === 'log_replaced' || newestNotice < afterNotice) {
    const place = { afterSequence: page.newest, afterNotice: newestNotice };
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

async function namesIn(store: FeedStore): Promise<Names> {
  const [events, keys] = await Promise.all([store.listEvents(), store.listKeys()]);
  return {
    events: new Map(events.map((event) => [event.id, event])),
    keys: new Map(keys.map((key) => [key.id, key])),
  };
}
