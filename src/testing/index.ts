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
} from '../core/explain/explanation.ts';
export { connectTicketscan } from './connect.ts';
export type {
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
  SeedWish,
  Snapshot,
  TestControls,
  TicketRequest,
  TicketState,
  TicketscanService,
  Time,
} from './controls.ts';
export { type StartOptions, startTicketscan } from './start.ts';
