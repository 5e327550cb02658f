import { AsyncLocalStorage } from 'node:async_hooks';
import { hashApiKey, type IntegrationType, isWellFormedApiKey } from '../../core/api-key.ts';
import type { ApiKeyRecord } from '../../core/records.ts';
import type {
  BatchRequest,
  DeviceContact,
  HeartbeatAnswer,
  OutcomeOf,
  ScanAnswer,
  ScanOutcome,
} from '../../core/scan-requests.ts';
import type { Keyring } from '../../core/ticket-code.ts';
import { explain } from '../../features/explain/explain.ts';
import { gatherFacts } from '../../features/explain/explain-scan.ts';
import type { Explanation } from '../../features/explain/explanation.ts';
import type { ScanQueue } from '../../scan/commit-queue.ts';
import type { KeyAccess } from '../../scan/key-cache.ts';
import { type ScanInput, ScanService } from '../../scan/scan-service.ts';
import type { RecordStore } from '../../stores/record-store.ts';
import type { Store } from '../../stores/store.ts';
import type { Hit } from '../faults/faults.ts';

const TOO_MANY = { kind: 'limited', retryAfterSeconds: 1 } as const;

/** The real service, which now and then fails on purpose: the edge then answers in the caller's own format. */
export class ObservedService extends ScanService {
  override async scan(input: ScanInput): Promise<ScanAnswer> {
    if (refusesAsTooMany()) return TOO_MANY;
    failOnPurpose('before');
    const answer = await super.scan(input);
    failOnPurpose('after');
    return answer;
  }

  override async heartbeat(key: KeyAccess, contact: DeviceContact): Promise<HeartbeatAnswer> {
    if (refusesAsTooMany()) return TOO_MANY;
    failOnPurpose('before');
    const answer = await super.heartbeat(key, contact);
    failOnPurpose('after');
    return answer;
  }
}

function refusesAsTooMany(): boolean {
  return (
    exchangeContext.getStore()?.hits.some(({ effect }) => effect === 'too-many-requests') ?? false
  );
}

function failOnPurpose(moment: 'before' | 'after'): void {
  const { hits = [], curtain } = exchangeContext.getStore() ?? {};
  if (curtain?.aborted) throw new Error('the service was reset');
  if (hits.some(({ effect, when }) => effect === 'server-error' && when === moment)) {
    throw new Error('an injected fault');
  }
}

/** What goes on around one exchange: what was read in it, what is to go wrong, and why it is answered as it is. */
export interface ExchangeContext {
  readonly ticketCode: string | undefined;
  readonly hits: readonly Hit[];
  /** Aborted when the service was reset: this exchange may then change nothing more. */
  readonly curtain: AbortSignal;
  explanation: Explanation | null;
}

/** The context of the exchange that the running code works for. */
export const exchangeContext = new AsyncLocalStorage<ExchangeContext>();

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

/** The key of that value, whatever its state; undefined when the store has none, or had it deleted. */
export async function keyOfValue(
  store: Pick<RecordStore, 'findKeyByHash'>,
  value: string | undefined,
): Promise<ApiKeyRecord | undefined> {
  return value === undefined ? undefined : (await store.findKeyByHash(hashApiKey(value)))?.key;
}

/** Why a key was refused, for the test only: the client never learns it. */
export function whyRefused(
  value: string | undefined,
  key: ApiKeyRecord | undefined,
  wanted: IntegrationType,
): string {
  const place = wanted === 'api' ? 'header x-api-key' : 'query parameter key';
  if (value === undefined) return `The request has no ${place}, or more than one.`;
  if (key && !key.active) return `The key "${key.name}" is disabled.`;
  if (key) return `The key "${key.name}" has the type ${key.type}; this endpoint needs ${wanted}.`;
  return isWellFormedApiKey(value)
    ? 'The key does not exist, or was deleted.'
    : 'The text does not have the form of a key, or its checksum is wrong: it is mistyped.';
}
