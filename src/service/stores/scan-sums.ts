import type { CountedBy } from '../../core/scan-count.ts';

/** Which counted scans are summed up, and what is kept apart. */
export interface CountSearch {
  readonly organisationId: string;
  /** The first quarter of an hour since 1970 UTC, included. */
  readonly fromQuarter: number;
  /** Not included. */
  readonly untilQuarter: number;
  readonly by: 'quarter' | 'event' | 'gate' | 'kind';
  /** Scans of this event only. */
  readonly eventId?: string;
}

/** So many scans of a sort; what the search does not keep apart is absent. */
export interface ScanSum
  extends Pick<CountedBy, 'operation' | 'outcome' | 'direction'>,
    Partial<Pick<CountedBy, 'quarter' | 'eventId' | 'keyId' | 'serial' | 'kind'>> {
  readonly scans: number;
}
