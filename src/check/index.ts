/**
 * The checker for other people's tests: `import { check } from 'ticketscan/check'`.
 * Everything exported here is public and stays.
 */
export type { TicketCounts } from './case.ts';
export { type CaseDescription, listCases, selectCaseIds } from './cases.ts';
export { UnreachableError } from './deviation.ts';
export { type Difference, differenceOf } from './diff.ts';
export type { Endpoint } from './endpoint.ts';
export { exitCodeOf } from './exit-code.ts';
export { type CompareOptions, type CompareResult, compare } from './explore/compare/compare.ts';
export { type ExploreOptions, explore } from './explore/explore.ts';
export { type ReplayOptions, type ReplayResult, replay } from './explore/replay.ts';
export type { ExploreResult, ExploreStart, Failure } from './explore/result.ts';
export type { Mint } from './explore/tickets.ts';
export { sampleTargetFile } from './init.ts';
export {
  type ChangeOrder,
  KEY_CHANGES,
  KeyAccessError,
  type KeyChange,
  type KeyHook,
  type KeyHooks,
} from './key-changes/access.ts';
export type { Level } from './level.ts';
export type { Budget } from './planning/budget.ts';
export { REPORT_FORMATS, type ReportFormat, renderReport } from './reports/index.ts';
export type {
  CaseResult,
  CellDeviation,
  CheckResult,
  Evidence,
  LeftOut,
  NotAsked,
  Outcome,
  Totals,
  Verdict,
} from './result.ts';
export { type CheckOptions, check } from './run.ts';
export {
  CheckUsageError,
  type KeyName,
  readTarget,
  type Target,
  type TargetChanges,
  type TargetInput,
  type TargetLimits,
  type TargetTicket,
  type TicketKind,
} from './target.ts';
