import type { Keyring } from '../../core/keyring.ts';
import type { ScanOutcome, ScanRequest } from '../../core/scan-batch.ts';
import { explain } from '../../service/explain/explain.ts';
import { gatherFacts } from '../../service/explain/gather-facts.ts';
import type { ScanQueue } from '../../service/scan/commit-queue.ts';
import type { Store } from '../../service/stores/store.ts';
import { type ExchangeContext, exchangeContext } from './exchange-context.ts';

/**
 * Commits one request at a time, so that the facts read just before are those that the decision stood on, and leaves
 * the explanation in the scene. The decision is the store's, as ever.
 */
export class ExplainingQueue implements ScanQueue {
  readonly #store: Store;
  readonly #keyring: () => Keyring;
  readonly #onRevision: (revision: number) => void;
  #last: Promise<unknown> = Promise.resolve();

  constructor(store: Store, keyring: () => Keyring, onRevision: (revision: number) => void) {
    this.#store = store;
    this.#keyring = keyring;
    this.#onRevision = onRevision;
  }

  commit(request: ScanRequest): Promise<ScanOutcome> {
    const context = exchangeContext.getStore();
    return this.exclusive(() => this.#commit(request, context));
  }

  async drained(): Promise<void> {
    await this.#last;
  }

  /** Runs `work` between two commits. */
  exclusive<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => {});
    return done;
  }

  async #commit(request: ScanRequest, context: ExchangeContext | undefined): Promise<ScanOutcome> {
    const { keyId, now } = request;
    const question = { keyId, ticketCode: context?.ticketCode, now };
    const facts = await gatherFacts(this.#store, this.#keyring(), question);
    const { outcomes, revision } = await this.#store.commitScans([request]);
    this.#onRevision(revision);
    const [outcome] = outcomes;
    if (!outcome) throw new Error('the store answered fewer requests than it was given');
    if (context) {
      const isReplay = await this.#isReplay(request, outcome);
      context.explanation = explain(request, facts, outcome, { isReplay });
    }
    return outcome;
  }

  async #isReplay({ retry }: ScanRequest, { kind }: ScanOutcome): Promise<boolean> {
    if (!retry || kind !== 'decided') return false;
    const [newest] = await this.#store.readLog({ limit: 1 });
    return newest?.replayed ?? false;
  }
}
