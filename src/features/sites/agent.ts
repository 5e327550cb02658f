import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Clock } from '../../core/clock.ts';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { Ticket } from '../../core/ticket.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import type { SiteRecords, Store } from '../../stores/store.ts';
import { finishDeletions } from '../events/deletions.ts';
import type { Stored } from '../typed-records.ts';
import { type CentreAddress, CentreClient } from './centre-client.ts';
import { HeldEvents, type SeenHomes } from './held-events.ts';
import { OwnRows } from './last-row.ts';
import { recentContacts } from './recent-contacts.ts';
import { refusalsToTell } from './refusals-of-sites.ts';
import { newestRow, RowSender } from './row-sender.ts';
import { readSiteValue, type SiteOf, type SiteProgress } from './site-records.ts';
import { keyringFrom } from './verifying-keys.ts';
import { FeedAnswer, type FeedQuestion, SITE_PATHS, WAIT_SECONDS_MAX } from './wire.ts';

export interface SiteSettings extends CentreAddress {
  /** How long the gates go on without a word of the centre; for ever by default. */
  readonly maxAgeMs?: number | undefined;
}

interface AgentDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Logger;
}

const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;
/** The pause between two steps of the loops, where nothing is left to do. */
const LOOK_MS = 300;
/** How often it is written down that the centre was heard, and up to which row it has the log. */
const NOTED_MS = 5000;

const NO_PROGRESS: SiteProgress = {
  feed: '',
  applied: 0,
  digest: '',
  recordsAsOf: null,
  heardAt: 0,
  aheadMs: 0,
  signing: [],
  stale: [],
};

/** Follows the centre of this site: takes and gives back events, hears of changes, and sends the rows of the log. */
export class SiteAgent {
  readonly #deps: AgentDeps;
  readonly #settings: SiteSettings;
  readonly #client: CentreClient;
  readonly #events: HeldEvents;
  readonly #ownRows: OwnRows;
  readonly #stopped = new AbortController();
  #of: SiteOf | undefined;
  #progress = NO_PROGRESS;
  #keyring: Keyring = [];
  #sender: RowSender | undefined;
  #heardAtMs = Number.NEGATIVE_INFINITY;
  #notedAtMs = Number.NEGATIVE_INFINITY;
  #connectedAt: number | undefined;
  #trouble: string | undefined;
  /** The centre has said, since this process began, that the token is of this site. */
  #isKnown = false;
  /** What is in force here lacks a record: the centre sends all of them again. */
  #lacksRecords = false;
  /** The digest of the refusals that the centre has. */
  #refusalsKnown = '';
  #loops: Promise<void>[] = [];

  constructor(deps: AgentDeps, settings: SiteSettings) {
    this.#deps = deps;
    this.#settings = settings;
    this.#client = new CentreClient(settings, this.#stopped.signal);
    this.#ownRows = new OwnRows(deps);
    this.#events = new HeldEvents({ ...deps, client: this.#client }, () => ({
      incarnation: this.#identity().incarnation ?? '',
      rows: this.#rows(),
    }));
  }

  /**
   * Makes this store a site, or goes on with one. A new site needs its centre once, before it can serve.
   * @throws TicketscanError `conflict` for a store that has events of its own, or belongs to another centre; `unreachable`
   */
  async begin(): Promise<void> {
    const { store } = this.#deps;
    const stored = await readSiteValue(store, 'site-of', 'centre');
    const progress = await readSiteValue(store, 'site-progress', 'centre');
    if (progress) this.#take(progress.value);
    // A site that has not heard its id yet was killed before its first answer.
    if (stored && stored.value.incarnation !== null && stored.value.siteId !== '') {
      this.#of = stored.value;
      const sent = await readSiteValue(store, 'site-rows', 'sent');
      this.#sender = new RowSender(this.#sending, stored.value, sent?.value.number ?? 0);
      this.#heardAtMs = this.#deps.clock.monotonicMs() - Math.max(0, this.#silentMs());
      return;
    }
    if (!stored && (await store.list('event')).length > 0) {
      throw new TicketscanError(
        'conflict',
        'This store has events of its own, and a site has its events from its centre. Name a new store, with --store.',
      );
    }
    await this.#becomeSite(stored);
  }

  /**
   * The incarnation is stored before the centre hears of it: from the first contact on, the events that waited for the site are those of this
   * incarnation.
   */
  async #becomeSite(stored: Stored<SiteOf> | undefined): Promise<void> {
    const { store, clock } = this.#deps;
    const begun = stored?.value.incarnation == null ? await this.#beginsAnew() : stored.value;
    let revision = stored?.revision ?? 0;
    if (begun !== stored?.value) {
      const administrative = [{ kind: 'site-of', id: 'centre', revision, value: begun } as const];
      await store.write({ administrative, audit: [] });
      revision += 1;
    }
    this.#of = begun;
    this.#sender = new RowSender(this.#sending, begun, begun.startsAfter);
    this.#take(NO_PROGRESS);
    const { answer, seen } = await this.#ask(0);
    const value = { ...begun, siteId: answer.site.id, name: answer.site.name };
    this.#of = value;
    await store.write({
      administrative: [{ kind: 'site-of', id: 'centre', revision, value }],
      audit: [
        {
          at: clock.now(),
          organisationId: null,
          accountId: null,
          by: 'command line',
          act: 'site.begin',
          subject: answer.site.id,
          details: { name: answer.site.name },
        },
      ],
    });
    await this.#rows().note();
    await this.#follow(answer, seen);
  }

  async #beginsAnew(): Promise<SiteOf> {
    const incarnation = randomBytes(8).toString('hex');
    const startsAfter = await newestRow(this.#deps.store);
    return { url: this.#settings.url, siteId: '', name: '', incarnation, startsAfter };
  }

  /** The keys that verify codes, as the centre had them last. */
  readonly keyring = (): Keyring => this.#keyring;

  /** Why the gates stand still, though the site decides: it has not heard of its centre for too long. */
  readonly whyNot = (): string | undefined => {
    const { maxAgeMs } = this.#settings;
    if (this.#ownRows.whyNot !== undefined || maxAgeMs === undefined) return this.#ownRows.whyNot;
    const silentMs = this.#deps.clock.monotonicMs() - this.#heardAtMs;
    if (silentMs <= maxAgeMs) return undefined;
    return 'The centre of this site was not heard for longer than --max-age allows.';
  };

  /** Follows the centre until `close`. */
  start(): void {
    this.#loops = [this.#pull(), this.#push()];
  }

  async close(): Promise<void> {
    this.#stopped.abort();
    await Promise.all(this.#loops);
    await this.#sender?.note().catch(() => undefined);
  }

  get #isStopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopped.signal }).catch(() => undefined);
  }

  /** Asks the centre what is new, and does it. */
  async #pull(): Promise<void> {
    let waitSeconds = 0;
    await this.#repeat(async () => {
      const asked = waitSeconds;
      // After trouble the centre is asked without a wait.
      waitSeconds = 0;
      const { answer, seen } = await this.#ask(asked);
      const isDone = await this.#follow(answer, seen);
      waitSeconds = answer.hasMore ? 0 : this.#waitAfter(answer, isDone);
      this.#noteLine();
      // The centre answers at once while something is still to be done.
      const isIdle = waitSeconds === 0 && !answer.hasMore;
      return isDone && !isIdle;
    });
  }

  /** Sends the rows of the log. */
  async #push(): Promise<void> {
    // Rows go to nobody but the centre of this site, and not in the place of those of another server.
    await this.#repeat(async () => {
      const isAllowed = this.#isKnown && this.#ownRows.whyNot === undefined;
      return isAllowed && (await this.#rows().send());
    });
  }

  /** Repeats a step until `close`. A step says whether the next one may follow without a pause; after trouble the pauses grow. */
  async #repeat(step: () => Promise<boolean>): Promise<void> {
    let retryMs = RETRY_MS_MIN;
    while (!this.#isStopped) {
      try {
        const isAtOnce = await step();
        retryMs = RETRY_MS_MIN;
        if (!isAtOnce) await this.#pause(LOOK_MS);
      } catch (error) {
        this.#noteTrouble(error);
        await this.#pause(retryMs * (0.5 + Math.random()));
        retryMs = Math.min(RETRY_MS_MAX, retryMs * 2);
      }
    }
  }

  /**
   * How long the next question may wait. An event that goes back is asked for again soon: its last rows may be on their way. So is one whose
   * tickets are read anew once the centre knows that it is here. An answer that waits is no word of the centre, so it comes well before the
   * gates would stand still.
   * @param isDone false while an event that ended is still here
   */
  #waitAfter({ wishes }: FeedAnswer, isDone: boolean): number {
    const { maxAgeMs = Number.POSITIVE_INFINITY } = this.#settings;
    const isStale = this.#progress.stale.length > 0;
    const isSoon = !isDone || isStale || wishes.some(({ kind }) => kind === 'close');
    const most = isSoon ? 1 : WAIT_SECONDS_MAX;
    return Math.min(most, Math.floor(maxAgeMs / (3 * SECOND_MS)));
  }

  #noteLine(): void {
    if (this.#connectedAt !== undefined) return;
    this.#connectedAt = this.#deps.clock.now();
    this.#trouble = undefined;
    this.#deps.log.info({ centre: this.#settings.url }, 'the line to the centre is there');
  }

  #noteTrouble(error: unknown): void {
    const why = messageOf(error);
    if (this.#isStopped || this.#trouble === why) return;
    this.#trouble = why;
    this.#connectedAt = undefined;
    this.#deps.log.warn({ error: why }, 'no line to the centre; gates go on');
  }

  async #ask(waitSeconds: number): Promise<{ answer: FeedAnswer; seen: SeenHomes }> {
    const { clock } = this.#deps;
    const of = this.#identity();
    const { feed, applied, digest, recordsAsOf } = this.#progress;
    const { held, seen, newest } = await this.#events.told();
    const contacts = await recentContacts(this.#deps.store, clock);
    const asked = clock.now();
    const question: FeedQuestion = {
      incarnation: of.incarnation ?? '',
      site: of.siteId,
      now: asked,
      feed,
      applied,
      digest: this.#lacksRecords ? '' : digest,
      recordsAsOf,
      held,
      waiting: Math.max(0, newest - this.#rows().sent),
      contacts,
      refusals: await refusalsToTell(this.#deps.store, clock, this.#refusalsKnown),
      waitSeconds,
    };
    const answer = await this.#client.post(SITE_PATHS.feed, question, FeedAnswer);
    await this.#check(answer, of);
    this.#refusalsKnown = answer.refusals;
    const took = clock.now() - asked;
    const aheadMs = waitSeconds === 0 ? asked + took / 2 - answer.now : this.#progress.aheadMs;
    this.#heardAtMs = clock.monotonicMs();
    this.#take({ ...this.#progress, heardAt: clock.now(), aheadMs: Math.round(aheadMs) });
    return { answer, seen };
  }

  /** @throws TicketscanError `conflict` where the token is of another site, or the centre has rows of this store that it does not have */
  async #check({ site, stored, last }: FeedAnswer, { siteId, name }: SiteOf): Promise<void> {
    const { store, log } = this.#deps;
    if (siteId !== '' && site.id !== siteId) {
      throw new TicketscanError(
        'conflict',
        `This is the store of the site "${name}", and the token is that of the site "${site.name}". Start it with its own token, or with another store.`,
      );
    }
    this.#isKnown = true;
    await this.#ownRows.hear(last, this.#identity().startsAfter);
    const why = this.#ownRows.whyAnother(stored > this.#rows().told(await newestRow(store)));
    if (why === undefined) return this.#rows().heard(stored);
    this.#isKnown = false;
    await store.forgetSite();
    this.#ownRows.beginAnew();
    log.error({ sent: stored }, why);
    await this.#becomeSite(await readSiteValue(store, 'site-of', 'centre'));
    throw new TicketscanError('conflict', why);
  }

  /** @returns false while something that the centre asks is still to be done */
  async #follow(answer: FeedAnswer, seen: SeenHomes): Promise<boolean> {
    const { store, clock } = this.#deps;
    const { records, recordsAsOf, changes, feed, changesTo, wishes, stored } = answer;
    let progress = this.#progress;
    if (records) {
      await finishDeletions(store, clock);
      await store.putSiteRecords(records as unknown as SiteRecords);
      const { digest, signing } = records;
      progress = { ...progress, digest, signing };
      this.#lacksRecords = false;
    }
    await this.#events.change(changes as unknown as Ticket[]);
    // Another feed numbers its changes from another beginning, and may lack rows that the centre had.
    if (progress.feed !== feed) {
      this.#rows().rewind(stored);
      progress = { ...progress, stale: wishes.map(({ event }) => event) };
    }
    progress = await this.#readAnew(progress, wishes);
    let isDone = true;
    for (const wish of wishes) {
      const missing = await this.#events.meet(wish, stored);
      if (missing !== undefined) isDone = false;
      if (missing === 'records') this.#lacksRecords = true;
    }
    progress = { ...progress, feed, applied: changesTo, recordsAsOf };
    this.#take({ ...progress, heardAt: this.#progress.heardAt, aheadMs: this.#progress.aheadMs });
    await this.#noteProgress();
    return (await this.#events.forgetEnded(answer, seen)) && isDone;
  }

  /** Reads tickets anew, of events that are here for certain. For others that waits until it is known. */
  async #readAnew(progress: SiteProgress, wishes: FeedAnswer['wishes']): Promise<SiteProgress> {
    if (progress.stale.length === 0) return progress;
    const left = progress.stale.filter((event) => wishes.some((wish) => wish.event === event));
    const certain = wishes.filter(({ event, kind }) => kind !== 'keep' && left.includes(event));
    for (const wish of certain) await this.#events.readAnew(wish);
    return {
      ...progress,
      stale: left.filter((event) => !certain.some((wish) => wish.event === event)),
    };
  }

  get #sending() {
    const { store, clock } = this.#deps;
    return { store, clock, client: this.#client, ownRows: this.#ownRows };
  }

  #rows(): RowSender {
    if (!this.#sender) throw new Error('the site did not begin');
    return this.#sender;
  }

  #identity(): SiteOf {
    if (!this.#of) throw new Error('the site did not begin');
    return this.#of;
  }

  #silentMs(): number {
    return this.#deps.clock.now() - this.#progress.heardAt;
  }

  #take(progress: SiteProgress): void {
    const isOther = progress.signing !== this.#progress.signing;
    this.#progress = progress;
    if (isOther) this.#keyring = keyringFrom(progress.signing);
  }

  /** Written when something is in force, and now and then. */
  async #noteProgress(): Promise<void> {
    const { store, clock } = this.#deps;
    const before = await readSiteValue(store, 'site-progress', 'centre');
    const known = before?.value;
    const { applied, digest, feed, stale } = this.#progress;
    const isSame =
      known?.applied === applied &&
      known.digest === digest &&
      known.feed === feed &&
      known.stale.length === stale.length;
    if (isSame && clock.monotonicMs() - this.#notedAtMs < NOTED_MS) return;
    const revision = before?.revision ?? 0;
    await store.write({
      administrative: [{ kind: 'site-progress', id: 'centre', revision, value: this.#progress }],
      audit: [],
    });
    this.#notedAtMs = clock.monotonicMs();
  }
}
