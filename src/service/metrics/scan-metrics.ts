import { Counter, Histogram, type Registry } from 'prom-client';
import type { Decision, Operation } from '../../core/decision.ts';
import { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import type { BatchRequest, Refusal, ScanOutcome } from '../../core/scan-batch.ts';
import type { ScanBatchResult, ScanStore } from '../stores/store.ts';

const BATCH_SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
const COMMIT_SECONDS = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];
const REFUSALS: readonly Refusal['kind'][] = [
  'key_refused',
  'limited',
  'quota_exceeded',
  'retry_conflict',
  'bad_retry_name',
];

/** Counts what came out of scans, and measures the commits. Every value is a total of this process. */
export class ScanMetrics {
  readonly #scans: Counter<'operation' | 'outcome'>;
  readonly #refused: Counter<'reason'>;
  readonly #heartbeats: Counter;
  readonly #batchSize: Histogram;
  readonly #commitSeconds: Histogram;
  readonly #failures: Counter;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#scans = new Counter({
      name: 'ticketscan_scans_total',
      help: 'Scans that were decided, by operation and outcome; of rejections, the reason is the outcome.',
      labelNames: ['operation', 'outcome'],
      registers,
    });
    this.#refused = new Counter({
      name: 'ticketscan_refused_requests_total',
      help: 'Scans and heartbeats that were refused before a decision, by reason.',
      labelNames: ['reason'],
      registers,
    });
    this.#heartbeats = new Counter({
      name: 'ticketscan_heartbeats_total',
      help: 'Heartbeats of devices that were answered.',
      registers,
    });
    this.#batchSize = new Histogram({
      name: 'ticketscan_commit_batch_size',
      help: 'Requests that one transaction of the store answered together.',
      buckets: BATCH_SIZES,
      registers,
    });
    this.#commitSeconds = new Histogram({
      name: 'ticketscan_commit_duration_seconds',
      help: 'Time from handing a batch to the store until it was durable.',
      buckets: COMMIT_SECONDS,
      registers,
    });
    this.#failures = new Counter({
      name: 'ticketscan_commit_failures_total',
      help: 'Batches whose outcome is unknown because the store failed; their devices stayed closed.',
      registers,
    });
    this.#beginAtZero();
  }

  /** The same store, with its commits counted. */
  measured(store: ScanStore): ScanStore {
    const { batchesInFlight } = store;
    return {
      ...(batchesInFlight === undefined ? {} : { batchesInFlight }),
      commitScans: (requests) => this.#commit(store, requests),
    };
  }

  async #commit(
    store: Pick<ScanStore, 'commitScans'>,
    requests: readonly BatchRequest[],
  ): Promise<ScanBatchResult> {
    const beganAt = performance.now();
    try {
      const result = await store.commitScans(requests);
      this.#commitSeconds.observe((performance.now() - beganAt) / 1000);
      this.#batchSize.observe(requests.length);
      for (const [index, request] of requests.entries()) {
        this.#count(request, result.outcomes[index]);
      }
      return result;
    } catch (error) {
      this.#failures.inc();
      throw error;
    }
  }

  #count(request: BatchRequest, outcome: ScanOutcome | undefined): void {
    // After these nothing was decided: the same request comes again.
    if (outcome === undefined || outcome.kind === 'rate_changed') return;
    if (outcome.kind === 'device_changed') return;
    if (outcome.kind === 'alive') this.#heartbeats.inc();
    else if (outcome.kind !== 'decided') this.#refuse(outcome.kind);
    else if (request.kind === 'scan') {
      this.#scans.inc({ operation: request.operation, outcome: outcomeOf(outcome.decision) });
    }
  }

  /** A request whose key is refused, by the server's edge too: most of them never reach the store. */
  readonly countRefusedKey = (): void => {
    this.#refused.inc({ reason: 'key_refused' });
  };

  #refuse(reason: Refusal['kind']): void {
    if (reason !== 'key_refused') this.#refused.inc({ reason });
  }

  /** A counter that appears with its first event hides that event from `increase()`. */
  #beginAtZero(): void {
    for (const operation of ['validate', 'consume'] satisfies Operation[]) {
      for (const outcome of OUTCOME_NAMES) {
        const isOfOther = outcome === (operation === 'validate' ? 'consumed' : 'validated');
        if (!isOfOther) this.#scans.inc({ operation, outcome }, 0);
      }
    }
    for (const reason of REFUSALS) this.#refused.inc({ reason }, 0);
  }
}

function outcomeOf(decision: Decision): string {
  return decision.status === 'rejected' ? decision.reason : decision.status;
}
