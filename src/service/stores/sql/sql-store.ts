import type { BatchRequest } from '../../../core/scan-batch.ts';
import type { PrunableLog, ScanBatchResult, Store, StoreInfo, VerifyReport } from '../store.ts';
import type { RecordPage, Section } from '../transfer/records.ts';
import { SqlTransfer } from './import-records.ts';

/** What is the same in every SQL database: all but scans, snapshots and upkeep. Methods are described in `Store`. */
export abstract class SqlStore extends SqlTransfer implements Store {
  abstract commitScans(requests: readonly BatchRequest[]): Promise<ScanBatchResult>;
  abstract verify(): Promise<VerifyReport>;
  abstract prunableLog(before: number): Promise<PrunableLog>;
  abstract pruneLog(before: number, entriesMax: number): Promise<number>;
  abstract beginSnapshot(): Promise<void>;
  abstract readSnapshot(section: Section, after: string | null, limit: number): Promise<RecordPage>;
  abstract endSnapshot(): Promise<void>;
  abstract purgeErased(isPatient: boolean): Promise<boolean>;
  abstract info(): Promise<StoreInfo>;
  abstract checkWritable(): Promise<void>;
  abstract close(): Promise<void>;
}
