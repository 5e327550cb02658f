import type { LogStore } from './log-store.ts';
import type { RecordStore } from './record-store.ts';
import type { ScanStore } from './scan-store.ts';
import type { StoreUpkeep } from './store-upkeep.ts';
import type { TransferStore } from './transfer-store.ts';

/**
 * Where tickets, keys and the scan log live. Every engine keeps the same promises; the contract tests hold them to it.
 *
 * Every method rejects with a `TicketscanError` for a failure that a person can fix, with any other error for a fault.
 *
 * Methods that change something require its audit entry. The audit log gets it in the same transaction: there is no change
 * without its entry and no entry without its change.
 *
 * Callers ask for the part that they need.
 */
export interface Store extends ScanStore, RecordStore, LogStore, TransferStore, StoreUpkeep {}
