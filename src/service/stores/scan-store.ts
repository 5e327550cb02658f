import type { BatchRequest, ScanOutcome } from '../../core/scan-batch.ts';

export interface ScanBatchResult {
  /** One outcome for each request, in the order of the requests. */
  readonly outcomes: readonly ScanOutcome[];
  /** Changes whenever keys, events or limits change, in whichever process; what a caller cached before is then stale. */
  readonly revision: number;
}

/** Where scans are decided and kept. */
export interface ScanStore {
  /** How many batches it works on at once; one where this is missing. Two of them may hold the same ticket. */
  readonly batchesInFlight?: number;
  /**
   * Answers the requests one after another with `answerRequest` on the current state, all in one transaction, and
   * resolves when the result is durable: an acknowledged use survives a power cut. When it rejects, the uses of the batch
   * may or may not be registered. The batch may hold the same ticket several times. Changes by other processes that were
   * acknowledged before the call are seen.
   */
  commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult>;
}
