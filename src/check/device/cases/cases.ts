import { type CheckCase, sectionOf } from '../../cases/case.ts';
import type { CaseDescription } from '../../cases/cases.ts';
import { type Selection, selectCases } from '../../planning/select.ts';
import type { SubjectKind } from '../formats/formats.ts';
import { CLIENT_REACTION_CASES } from './client-reactions.ts';
import { CLIENT_REQUEST_CASES } from './client-requests.ts';
import { CLIENT_RETRY_CASES } from './client-retries.ts';
import type { DeviceCase } from './device-case.ts';
import { DEVICE_CONTACT_CASES } from './device-contact.ts';
import { DEVICE_FAILURE_CASES } from './device-failures.ts';
import { DEVICE_HEARTBEAT_CASES } from './device-heartbeats.ts';
import { DEVICE_REACTION_CASES } from './device-reactions.ts';
import { DEVICE_REQUEST_CASES } from './device-requests.ts';

/** Every case on devices and on client software, in the order of the specification. */
export const DEVICE_CASES: readonly DeviceCase[] = [
  ...DEVICE_REQUEST_CASES,
  ...DEVICE_REACTION_CASES,
  ...DEVICE_FAILURE_CASES,
  ...DEVICE_HEARTBEAT_CASES,
  ...DEVICE_CONTACT_CASES,
  ...CLIENT_REQUEST_CASES,
  ...CLIENT_REACTION_CASES,
  ...CLIENT_RETRY_CASES,
].toSorted((a, b) => sectionOf(a.id).localeCompare(sectionOf(b.id), 'en', { numeric: true }));

/** Describes every case on devices, or on client software, as `listCases` describes those on servers. */
export function listDeviceCases(kind: SubjectKind): CaseDescription[] {
  return casesOf(kind).map(({ id, level, requirement, cause, endpoint }) => ({
    id,
    section: sectionOf(id),
    level,
    requirement,
    likelyCause: cause,
    endpoints: [{ endpoint, level }],
    keys: [],
    tickets: {},
    samples: [],
    hooks: [],
    rateLimits: false,
  }));
}

/** The cases of a kind that a selection takes. @throws CheckUsageError when a pattern matches nothing */
export function selectDeviceCases(kind: SubjectKind, selection: Selection): DeviceCase[] {
  const ids = new Set(selectCases(asCheckCases(kind), selection).map(({ id }) => id));
  return casesOf(kind).filter(({ id }) => ids.has(id));
}

/** The same cases in the form of those on servers, for selections and baselines. */
export function asCheckCases(kind: SubjectKind): CheckCase[] {
  return casesOf(kind).map(({ id, level, requirement, cause, endpoint }) => ({
    id,
    level,
    requirement,
    cause,
    endpoint,
    run: async () => {},
  }));
}

function casesOf(kind: SubjectKind): DeviceCase[] {
  return DEVICE_CASES.filter((one) => one.kind === kind);
}
