import type { Section } from './transfer/records.ts';

export interface VerifyReport {
  readonly tickets: number;
  readonly scans: number;
  /** One sentence for each broken invariant; empty when all hold. */
  readonly problems: readonly string[];
}

export interface StoreInfo {
  readonly engine: string;
  readonly format: {
    readonly version: number;
    /** What it was when this process opened the store; 0 for a new one. */
    readonly versionFound: number;
  };
  readonly counts: Readonly<Record<Section, number>>;
  /** On disk; null where the engine does not know. */
  readonly bytes: number | null;
  /** The time of the newest log entry. */
  readonly lastScanAt: number | null;
  /** More that this engine can tell, by name. */
  readonly details: Readonly<Record<string, string | number>>;
}

/** What the person who runs the service asks of a store. */
export interface StoreUpkeep {
  /** Proves that counters, of tickets and of the statistics, equal the log and that no ticket is over its uses. */
  verify(): Promise<VerifyReport>;

  /**
   * Overwrites what erased data left in the store's files.
   * @param isPatient also where it takes long, and nobody else can use the store meanwhile
   * @returns false when some of it may still be there
   */
  purgeErased(isPatient: boolean): Promise<boolean>;

  info(): Promise<StoreInfo>;
  /** Resolves when a write has just become durable; rejects when the store cannot write. */
  checkWritable(): Promise<void>;
  close(): Promise<void>;
}
