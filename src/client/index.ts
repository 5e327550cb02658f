/**
 * Asks a scan service from own software: `import { ScanClient } from 'ticketscan/client'`.
 * Everything exported here is public and stays.
 */
export {
  type CallOptions,
  type ClientClock,
  type ConsumeOptions,
  ScanClient,
  type ScanClientOptions,
} from './scan-client.ts';
export { ScanError, type ScanErrorCode } from './scan-error.ts';
export type {
  ConsumedTicket,
  ConsumeResult,
  DeniedTicket,
  ExhaustedTicket,
  RejectedTicket,
  RejectionReason,
  ScanResult,
  TicketUses,
  UnknownTicket,
  ValidatedTicket,
  ValidateResult,
  Validity,
} from './scan-result.ts';
