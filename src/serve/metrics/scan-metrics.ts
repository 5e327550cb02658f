import { Counter, Histogram, type Registry } from 'prom-client';
import type { Decision, Operation } from '../../core/decision.ts';
import { OUTCOME_NAMES } from '../../core/outcome-names.ts';
import type { BatchRequest, Refusal, ScanOutcome } from '../../core/scan-batch.ts';
import type { ScanBatchResult, ScanStore } from '../../stores/store.ts';

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

type Metrics = ReturnType<typeof metricsIn>;

function metricsIn(registry: Registry) {
  const registers = [registry];
  return {
    scans: new Counter({
      name: 'ticketscan_scans_total',
      help: 'Scans that were decided, by operation and outcome; of rejections, the reason is the outcome.',
      labelNames: ['operation', 'outcome'],
      registers,
    }),
    refused: new Counter({
      name: 'ticketscan_refused_requests_total',
      help: 'Scans and heartbeats that were refused before a decision, by reason.',
      labelNames: ['reason'],
      registers,
    }),
    heartbeats: new Counter({
      name: 'ticketscan_heartbeats_total',
      help: 'Heartbeats of devices that were answered.',
      registers,
    }),
    batchSize: new Histogram({
      name: 'ticketscan_commit_batch_size',
      help: 'Requests that one transaction of the store answered together.',
      buckets: BATCH_SIZES,
      registers,
    }),
    commitSeconds: new Histogram({
      name: 'ticketscan_commit_duration_seconds',
      help: 'Time from handing a batch to the store until it was durable.',
      buckets: COMMIT_SECONDS,
      registers,
    }),
    failures: new Counter({
      name: 'ticketscan_commit_failures_total',
      help: 'Batches whose outcome is unknown because the store failed; their devices stayed closed.',
      registers,
    }),
  };
}

/**
 * Counts the outcomes of scans and measures commits. Every value is a total of this process.
 * @returns the same store, measured; and a counter of refused keys for the server's edge, because most of those requests
 * never reach the store
 */
export function measureScans(
  registry: Registry,
  store: ScanStore,
): { readonly scans: ScanStore; readonly countRefusedKey: () => void } {
  const metrics = metricsIn(registry);
  beginAtZero(metrics);
  const { batchesInFlight } = store;
  return {
    scans: {
      ...(batchesInFlight === undefined ? {} : { batchesInFlight }),
      commitScans: (requests) => commit(metrics, store, requests),
    },
    countRefusedKey: () => metrics.refused.inc({ reason: 'key_refused' }),
  };
}

/** A counter that appears with its first event hides that event from `increase()`. */
function beginAtZero({ scans, refused }: Metrics): void {
  for (const operation of ['validate', 'consume'] satisfies Operation[]) {
    for (const outcome of OUTCOME_NAMES) {
      const isOfOther = outcome === (operation === 'validate' ? 'consumed' : 'validated');
      if (!isOfOther) scans.inc({ operation, outcome }, 0);
    }
  }
  for (const reason of REFUSALS) refused.inc({ reason }, 0);
}

async function commit(
  metrics: Metrics,
  store: Pick<ScanStore, 'commitScans'>,
  requests: readonly BatchRequest[],
): Promise<ScanBatchResult> {
  const beganAt = performance.now();
  try {
    const result = await store.commitScans(requests);
    metrics.commitSeconds.observe((performance.now() - beganAt) / 1000);
    metrics.batchSize.observe(requests.length);
    for (const [index, request] of requests.entries()) {
      count(metrics, request, result.outcomes[index]);
    }
    return result;
  } catch (error) {
    metrics.failures.inc();
    throw error;
  }
}

function count(metrics: Metrics, request: BatchRequest, outcome: ScanOutcome | undefined): void {
  if (outcome === undefined) return;
  switch (outcome.kind) {
    // Nothing was decided: the same request comes again.
    case 'rate_changed':
    case 'device_changed':
      break;
    // The server's edge counts these.
    case 'key_refused':
      break;
    case 'alive':
      metrics.heartbeats.inc();
      break;
    case 'decided': {
      if (request.kind !== 'scan') break;
      const labels = { operation: request.operation, outcome: outcomeOf(outcome.decision) };
      metrics.scans.inc(labels);
      break;
    }
    default:
      metrics.refused.inc({ reason: outcome.kind });
  }
}

function outcomeOf(decision: Decision): string {
  return decision.status === 'rejected' ? decision.reason : decision.status;
}
