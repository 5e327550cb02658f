import type { BatchRequest, OutcomeOf, ScanOutcome } from '../../core/scan-batch.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import { explain } from '../../features/explain/explain.ts';
import { gatherFacts } from '../../features/explain/explain-scan.ts';
import type { ScanQueue } from '../../scan/commit-queue.ts';
import type { Store } from '../../stores/store.ts';
import { type ExchangeContext, exchangeContext } from './exchange-context.ts';

/**
 * Commits one request at a time, so that the facts read just before are those of the decision, and leaves the
 * explanation in the exchange's context. The store decides, as ever.
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

  commit<Request extends BatchRequest>(request: Request): Promise<OutcomeOf<Request>> {
    const context = exchangeContext.getStore();
    const outcome = this.exclusive(() => this.#commit(request, context));
    return outcome as Promise<OutcomeOf<Request>>;
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

  async #commit(request: BatchRequest, context: ExchangeContext | undefined): Promise<ScanOutcome> {
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

  async #isReplay(request: BatchRequest, { kind }: ScanOutcome): Promise<boolean> {
    if (request.kind !== 'scan' || !request.retry || kind !== 'decided') return false;
    const [newest] = await this.#store.readLog({ limit: 1 });
    return newest?.replayed ?? false;
  }
}
