import { sectionOf } from '../../cases/case.ts';
import { type CaseDescription, describeCases } from '../../cases/describe.ts';
import type { SubjectKind } from '../session-record.ts';
import type { DeviceCase } from './device-case.ts';
import { DOOR_CASES } from './door-cases.ts';
import { HEARTBEAT_CASES } from './heartbeat-cases.ts';
import { LIGHT_CASES } from './light-cases.ts';
import { REACH_CASES } from './reach-cases.ts';
import { REACTION_CASES } from './reaction-cases.ts';
import { REPEAT_CASES } from './repeat-cases.ts';
import { REQUEST_CASES } from './request-cases.ts';

/** Every case on devices and on client software, in the order of the specification. */
export const DEVICE_CASES: readonly DeviceCase[] = [
  ...REQUEST_CASES,
  ...DOOR_CASES,
  ...REACTION_CASES,
  ...REACH_CASES,
  ...LIGHT_CASES,
  ...REPEAT_CASES,
  ...HEARTBEAT_CASES,
].toSorted((a, b) => sectionOf(a.id).localeCompare(sectionOf(b.id), 'en', { numeric: true }));

/** The cases on devices, or those on client software. */
export function casesOn(kind: SubjectKind): DeviceCase[] {
  return DEVICE_CASES.filter((one) => one.kind === kind);
}

/** Describes every case on devices, or on client software, as `listCases` describes those on servers. */
export function listDeviceCases(kind: SubjectKind): CaseDescription[] {
  return describeCases(casesOn(kind));
}
