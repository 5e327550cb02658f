import type { WebhookEvent } from '../../core/administrative-records.ts';
import { type Clock, isoTime } from '../../core/clock.ts';
import { NO_DEVICE_NAMES } from '../../core/gate-name.ts';
import { HOUR_MS, MINUTE_MS } from '../../kit/durations.ts';
import type { LogPage } from '../../stores/log-search.ts';
import type { Store } from '../../stores/store.ts';
import { deviceNamesOf } from '../devices/rules.ts';
import { follow, type ReaderGap, searchIn } from '../log/log-reader.ts';
import type { Stored } from '../typed-records.ts';
import type { Gap, Message, Names } from './message.ts';
import { attempt, eventOfEntry, gapMessage, noticeMessage, scanMessage } from './message.ts';
import { RETRY_AFTER_MAX_MS, type Send } from './network.ts';
import {
  type Notice,
  type NoticesRecord,
  readStored,
  type WebhookDelivery,
  type WebhookProgress,
  type WebhookRecord,
  writeStored,
} from './webhook-records.ts';

/** The parts that deliver to an endpoint. */
export interface EndpointDeps {
  readonly store: Pick<Store, 'searchLog' | 'list' | 'read' | 'write'>;
  readonly clock: Clock;
  readonly notices: (organisationId: string) => NoticesRecord | undefined;
  readonly send: Send;
  readonly mayDeliver: () => boolean;
  /** Logs what happens to an endpoint; never its URL, which may hold a secret. */
  readonly warn: (facts: object, message: string) => void;
  readonly timing: Timing;
}

export type Timing = Readonly<typeof DEFAULT_TIMING>;
export const DEFAULT_TIMING = {
  firstRetryMs: 2000,
  retryMaxMs: 15 * MINUTE_MS,
  /** Failing for this long switches an endpoint off. */
  giveUpMs: 72 * HOUR_MS,
  /** Draws a number between 0 and 1, which spreads retries. */
  random: Math.random,
};

const PAGE_ENTRIES = 200;
const DELIVERIES_KEPT = 50;
/** The cursor is saved this often while deliveries go on. A process that is killed repeats no more than that. */
const SAVE_EVERY_MS = 1000;
const HTTP_GONE = 410;

type Cursor = Pick<WebhookProgress, 'afterSequence' | 'afterNotice'>;

/** A message, and the cursor of its endpoint after it. Without a message there is nothing to send up to that cursor. */
interface Step {
  readonly message: Message | undefined;
  readonly cursor: Cursor;
}

/**
 * Delivers to one endpoint, one message after another:
 *
 * ```
 *             something is new                no success
 *   waiting ───────────────────▶ delivering ─────────────▶ failing ──────────────▶ switched off
 *      ▲                          │  ▲   ▲  its time comes    │    for 72 h, or       │
 *      └──────────────────────────┘  │   └────────────────────┘    at once by 410      │
 *          nothing is left           └─────────────────────────────────────────────────┘
 *                                      enabled by hand: it goes on where it stopped
 * ```
 *
 * While it is paused, or another process delivers, it stays where it is. The cursor and the state are its progress, which is
 * stored, so that another process continues there. When the store fails, the progress in memory is forgotten.
 */
export class Endpoint {
  readonly #deps: EndpointDeps;
  #webhook: WebhookRecord;
  #progress: Stored<WebhookProgress> | undefined;
  /** The step that is not delivered yet: every attempt sends the same message. */
  #pending: Step | undefined;
  #savedAtMs = Number.NEGATIVE_INFINITY;
  #isDirty = false;

  constructor(deps: EndpointDeps, webhook: WebhookRecord) {
    this.#deps = deps;
    this.#webhook = webhook;
  }

  /** Changes apply from the next message. */
  set webhook(webhook: WebhookRecord) {
    const isSame = this.#webhook.events.join() === webhook.events.join();
    if (!isSame) this.#pending = undefined;
    this.#webhook = webhook;
  }

  /** True when there may be something to deliver now. @param newest the newest log entry */
  wants(newest: number): boolean {
    if (!this.#progress || this.#pending || this.#value.switchedOff) return true;
    const { afterSequence, afterNotice } = this.#value;
    const record = this.#deps.notices(this.#webhook.organisationId);
    return newest !== afterSequence || (record?.newest ?? 0) !== afterNotice;
  }

  /** Delivers until nothing is left, an attempt fails, or `signal` is aborted. Rejects when the store does. */
  async deliver(signal: AbortSignal): Promise<void> {
    try {
      this.#progress ??= await this.#load();
      this.#switchOnAgain();
      if (!signal.aborted && this.#isDue()) await this.#deliverDue(signal);
      if (this.#isDirty) await this.#save();
    } catch (error) {
      // Another process delivers, or the store fails: the progress in memory may be out of date.
      this.#progress = undefined;
      this.#pending = undefined;
      this.#isDirty = false;
      throw error;
    }
  }

  async #deliverDue(signal: AbortSignal): Promise<void> {
    for await (const step of this.#steps()) {
      this.#pending = step;
      if (step.message && !(await this.#attempt(step.message, signal))) return;
      this.#pending = undefined;
      this.#change(step.cursor);
      if (this.#deps.clock.monotonicMs() - this.#savedAtMs >= SAVE_EVERY_MS) await this.#save();
      if (signal.aborted || !this.#isDue()) return;
    }
  }

  async #load(): Promise<Stored<WebhookProgress>> {
    const { id, organisationId, startAfter, startAfterNotice } = this.#webhook;
    const before = {
      organisationId,
      afterSequence: startAfter,
      afterNotice: startAfterNotice,
      failing: null,
      switchedOff: null,
      delivered: 0,
      lastSuccessAt: null,
      deliveries: [],
    };
    const found = await readStored(this.#deps.store, 'webhook-progress', id);
    return found ?? { revision: 0, value: before };
  }

  get #value(): WebhookProgress {
    if (!this.#progress) throw new Error('the progress is not loaded');
    return this.#progress.value;
  }

  #change(changes: Partial<WebhookProgress>): void {
    if (!this.#progress) return;
    this.#progress = { ...this.#progress, value: { ...this.#progress.value, ...changes } };
    this.#isDirty = true;
  }

  async #save(): Promise<void> {
    if (!this.#progress) return;
    const { store, clock } = this.#deps;
    this.#progress = await writeStored(store, 'webhook-progress', this.#webhook.id, this.#progress);
    this.#savedAtMs = clock.monotonicMs();
    this.#isDirty = false;
  }

  /** Switches an endpoint on again that somebody has enabled: it continues where it stopped. */
  #switchOnAgain(): void {
    const { switchedOff } = this.#value;
    if (switchedOff && switchedOff.at < this.#webhook.enabledAt) {
      this.#change({ switchedOff: null, failing: null });
    }
  }

  #isDue(): boolean {
    const { failing, switchedOff } = this.#value;
    if (!this.#webhook.active || switchedOff || !this.#deps.mayDeliver()) return false;
    if (failing === null) return true;
    const waitMs = failing.nextAttemptAt - this.#deps.clock.now();
    // It is never that long, so the clock was set back.
    return waitMs <= 0 || waitMs > Math.max(this.#deps.timing.retryMaxMs, RETRY_AFTER_MAX_MS);
  }

  /** @returns whether the endpoint has it */
  async #attempt(message: Message, signal: AbortSignal): Promise<boolean> {
    const { clock, send } = this.#deps;
    const at = clock.now();
    const number = (this.#value.failing?.attempts ?? 0) + 1;
    const sent = await attempt(message, this.#webhook, { at, number, send, signal });
    const { delivery, retryAfterMs } = sent;
    const isDelivered = delivery.error === null;
    // Aborted by a stop: not a failure of the endpoint, and sent again later.
    if (!isDelivered && signal.aborted) return false;
    this.#change({ deliveries: [delivery, ...this.#value.deliveries].slice(0, DELIVERIES_KEPT) });
    if (isDelivered) this.#succeeded(at);
    else await this.#failed(delivery, retryAfterMs);
    return isDelivered;
  }

  #succeeded(at: number): void {
    const { failing, delivered } = this.#value;
    if (failing) {
      const facts = { webhook: this.#webhook.id, failedSince: isoTime(failing.since) };
      this.#deps.warn(facts, 'a webhook is delivered again');
    }
    this.#change({ failing: null, delivered: delivered + 1, lastSuccessAt: at });
  }

  async #failed({ status, error, at, attempt: attempts }: WebhookDelivery, retryAfterMs: number) {
    const { timing, warn } = this.#deps;
    // A clock that was set back does not make it fail for longer.
    const since = Math.min(this.#value.failing?.since ?? at, at);
    const nextAttemptAt = at + Math.max(waitAfter(attempts, timing), retryAfterMs);
    this.#change({ failing: { since, attempts, nextAttemptAt } });
    const facts = { webhook: this.#webhook.id, status, error };
    if (attempts === 1) warn(facts, 'a webhook cannot be delivered; it is tried again');
    const isOver = at - since >= timing.giveUpMs;
    if (isOver || status === HTTP_GONE) {
      const reason = isOver ? 'failed_too_long' : 'gone';
      this.#change({ switchedOff: { at, reason } });
      warn({ ...facts, reason }, 'a webhook was switched off; enable it again when it is repaired');
    }
    await this.#save();
  }

  /**
   * The next steps, until nothing is left for now: scans in the order of the log, and each notice after the scan that was the
   * newest when the notice was made. Each step is done, and the cursor after it, when the next one is asked for.
   */
  async *#steps(): AsyncGenerator<Step> {
    if (this.#pending) yield this.#pending;
    const { store, clock, notices } = this.#deps;
    const { id, organisationId } = this.#webhook;
    const search = searchIn(store, { organisationId }, PAGE_ENTRIES);
    const options = { after: this.#value.afterSequence, pauseMs: 0 };
    for await (const page of follow(search, options)) {
      const record = notices(organisationId);
      const found = gapIn(page, this.#value, record);
      if (found) {
        yield { message: gapMessage(id, found.gap, clock.now()), cursor: found.cursor };
        yield* this.#steps();
        return;
      }
      const { afterSequence, afterNotice } = this.#value;
      yield* this.#stepsIn(page, record);
      const now = this.#value;
      if (now.afterSequence === afterSequence && now.afterNotice === afterNotice) return;
    }
  }

  /** The steps of a page of the log, with the notices between its entries. */
  async *#stepsIn(
    { entries, searchedTo }: LogPage,
    record: NoticesRecord | undefined,
  ): AsyncGenerator<Step> {
    const names =
      entries.length > 0 ? await namesIn(this.#deps.store, this.#webhook.organisationId) : NO_NAMES;
    const notices = (record?.notices ?? []).filter(
      (one) => one.number > this.#value.afterNotice && one.afterSequence <= searchedTo,
    );
    const stepOf = (notice: Notice): Step =>
      this.#step({ afterNotice: notice.number }, notice.type, (id) => noticeMessage(id, notice));
    for (const entry of entries) {
      while (notices[0] && notices[0].afterSequence < entry.sequence) {
        yield stepOf(notices.shift() as Notice);
      }
      yield this.#step({ afterSequence: entry.sequence }, eventOfEntry(entry), (id, type) =>
        scanMessage(id, type, entry, names),
      );
    }
    for (const notice of notices) yield stepOf(notice);
    if (searchedTo > this.#value.afterSequence) yield this.#step({ afterSequence: searchedTo });
  }

  /** Past something that happened, with a message where the webhook has chosen such events. */
  #step(
    past: Partial<Cursor>,
    type?: WebhookEvent,
    messageOf?: (webhookId: string, type: WebhookEvent) => Message,
  ): Step {
    const { id, events } = this.#webhook;
    const { afterSequence, afterNotice } = this.#value;
    const isWanted = type !== undefined && events.includes(type);
    const message = isWanted ? messageOf?.(id, type) : undefined;
    return { message, cursor: { afterSequence, afterNotice, ...past } };
  }
}

/** Doubles with each attempt, up to a limit; between half of it and the whole, so that endpoints do not come back at once. */
function waitAfter(attempts: number, { firstRetryMs, retryMaxMs, random }: Timing): number {
  const wholeMs = Math.min(retryMaxMs, firstRetryMs * 2 ** Math.min(attempts - 1, 30));
  return wholeMs * (0.5 + random() / 2);
}

/** Entries and notices after a cursor that no longer exist: pruning does not wait for webhooks, and a log may be replaced. */
function gapIn(
  { newest, gap: lost }: Pick<LogPage, 'newest'> & { readonly gap?: ReaderGap },
  { afterSequence, afterNotice }: Cursor,
  record: NoticesRecord | undefined,
): { gap: Gap; cursor: Cursor } | undefined {
  const newestNotice = record?.newest ?? 0;
  if (lost?.reason === 'log_replaced' || newestNotice < afterNotice) {
    return {
      gap: { fromSequence: null, toSequence: null, notices: 0, reason: 'log_replaced' },
      cursor: { afterSequence: newest, afterNotice: newestNotice },
    };
  }
  const oldestNotice = record?.notices[0]?.number ?? newestNotice + 1;
  const notices = Math.max(0, oldestNotice - afterNotice - 1);
  if (!lost && notices === 0) return undefined;
  const { fromSequence = null, toSequence = null } = lost ?? {};
  return {
    gap: { fromSequence, toSequence, notices, reason: 'pruned' },
    cursor: {
      afterSequence: toSequence ?? afterSequence,
      afterNotice: afterNotice + notices,
    },
  };
}

const NO_NAMES: Names = { events: new Map(), keys: new Map(), devices: NO_DEVICE_NAMES };

async function namesIn(store: EndpointDeps['store'], organisationId: string): Promise<Names> {
  const [events, keys, devices] = await Promise.all([
    store.list('event', { organisationId }),
    store.list('key', { organisationId }),
    deviceNamesOf(store, organisationId),
  ]);
  return {
    events: new Map(events.map((event) => [event.id, event])),
    keys: new Map(keys.map((key) => [key.id, key])),
    devices,
  };
}
