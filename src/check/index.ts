/**
 * The checker for other people's tests: `import { check } from 'ticketscan/check'`.
 * Everything exported here is public and stays.
 */
export type { TicketCounts } from './cases/case.ts';
export type { CaseDescription } from './cases/describe.ts';
export { sampleTargetFile } from './deployment/init.ts';
export { readTarget } from './deployment/read-target.ts';
export {
  CheckUsageError,
  type KeyName,
  type Target,
  type TargetChanges,
  type TargetInput,
  type TargetLimits,
  type TargetTicket,
  type TicketKind,
} from './deployment/target.ts';
export { listDeviceCases } from './device/cases/cases.ts';
export { checkDevice, type DeviceCheckOptions, type DeviceTls } from './device/check-device.ts';
export type { SeenRequest } from './device/http.ts';
export type { Certificate } from './device/judge-server.ts';
export type {
  Observation,
  Observer,
  Prompt,
  Shown,
  Step,
  SubjectSetup,
  Want,
} from './device/observer.ts';
export type {
  DeviceSettings,
  Presentation,
  SessionRecord,
  SubjectKind,
} from './device/session-record.ts';
export type { Reaction, Subject, Tellable } from './device/subject-observer.ts';
export { type CompareOptions, type CompareResult, compare } from './explore/compare.ts';
export { type ExploreOptions, explore } from './explore/explore.ts';
export { type ReplayOptions, type ReplayResult, replay } from './explore/replay.ts';
export type { ExploreResult, ExploreStart, Failure } from './explore/report.ts';
export type { Mint } from './explore/runner.ts';
export type { Endpoint } from './facts/exchange.ts';
export { UnreachableError } from './facts/failures.ts';
export type { Level } from './facts/level.ts';
export {
  type ChangeOrder,
  KEY_CHANGES,
  KeyAccessError,
  type KeyChange,
  type KeyHook,
  type KeyHooks,
} from './key-changes/spare-keys.ts';
export { REPORT_FORMATS, type ReportFormat, renderReport } from './reports/index.ts';
export type { Budget } from './results/budget.ts';
export type {
  CaseOutcome,
  CaseResult,
  CellDeviation,
  CheckResult,
  Evidence,
  Finding,
  LeftOut,
  NotAsked,
  Preflight,
  Totals,
  Verdict,
} from './results/result.ts';
export { exitCodeOf, type FailOn } from './results/result.ts';
export { type CheckOptions, check } from './run/run.ts';
export { listCases, selectCaseIds } from './sections/index.ts';
