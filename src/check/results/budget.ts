import type { TicketKind } from '../deployment/target.ts';

/** What a run may spend at most. */
export interface Budget {
  readonly uses: number;
  readonly byKind: readonly { kind: TicketKind; tickets: number; uses: number }[];
}
