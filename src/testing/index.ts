/**
 * A scan service that other people's tests drive: `import { startTicketscan } from 'ticketscan/testing'`.
 * Everything exported here is public and stays.
 */
export { type ErrorCode, TicketscanError } from '../core/errors.ts';
export type {
  Explanation,
  ExplanationStep,
  Rule,
  StepResult,
} from '../features/explain/explanation.ts';
export type {
  BoundDevice,
  ClockState,
  Duration,
  Fault,
  FaultEffect,
  FaultRule,
  KeyName,
  MadeTicket,
  RecordedExchange,
  RequestFilter,
  Sample,
  Seed,
  SeedOptions,
  Snapshot,
  TestControls,
  TicketRequest,
  TicketState,
  TicketscanService,
  Time,
} from './controls.ts';
export { type ConnectOptions, connectTicketscan } from './remote/connect.ts';
export { type StartOptions, startTicketscan } from './start.ts';
export type { VariationName } from './vary/variations.ts';
