import type { CheckCase } from '../cases/case.ts';
import { type CaseDescription, describeCases } from '../cases/describe.ts';
import { type Selection, selectCases } from '../planning/select.ts';
import { HTTPS_CASES } from './1-https.ts';
import { PURPOSE_CASES } from './1-purpose.ts';
import { FORGED_CODE_CASES } from './2.2-forged-codes.ts';
import { RESPELLED_CODE_CASES } from './2.2-respelled-codes.ts';
import { TICKET_CASES } from './2.2-tickets.ts';
import { FIELD_CASES } from './2.3-fields.ts';
import { RESULT_REVIEW_CASES } from './2.3-review.ts';
import { CARD_CASES, DEVICE_FORMAT_CASES } from './2.4-devices.ts';
import { KEY_CHANGE_CASES } from './3.1-key-changes.ts';
import { KEY_STATE_CASES } from './3.1-key-states.ts';
import { RACE_CASES } from './3.2-races.ts';
import { COUNTER_CASES } from './3.2-use-counter.ts';
import { USES_CASES } from './3.2-uses.ts';
import { HEARTBEAT_CASES } from './4.5-heartbeat.ts';
import { CLIENT_HEADER_CASES } from './4-client-headers.ts';
import { ENDPOINT_CASES } from './4-endpoints.ts';
import { FURTHER_MEMBER_CASES } from './4-further-members.ts';
import { KEY_CASES } from './5-keys.ts';
import { APART_CASES } from './5-requests-apart.ts';
import { SCOPE_CASES } from './5-scope.ts';
import { SCOPED_KEY_CASES } from './5-scoped-keys.ts';
import { STATUS_CASES } from './7.1-status-codes.ts';
import { ERROR_BODY_CASES } from './7.2-error-bodies.ts';
import { NOTE_CASES } from './7.3-device-notes.ts';
import { RATE_LIMIT_CASES } from './8-rate-limits.ts';
import { EVERY_COUNT, EVERY_FACT, EVERY_OUTCOME } from './every-answer.ts';

/** Every case, in the order of the specification. */
export const CASES: readonly CheckCase[] = [
  ...HTTPS_CASES,
  ...PURPOSE_CASES,
  ...TICKET_CASES,
  ...FORGED_CODE_CASES,
  ...RESPELLED_CODE_CASES,
  ...FIELD_CASES,
  ...RESULT_REVIEW_CASES,
  EVERY_FACT,
  ...DEVICE_FORMAT_CASES,
  ...CARD_CASES,
  ...KEY_STATE_CASES,
  ...KEY_CHANGE_CASES,
  ...COUNTER_CASES,
  ...USES_CASES,
  ...RACE_CASES,
  EVERY_COUNT,
  ...ENDPOINT_CASES,
  ...CLIENT_HEADER_CASES,
  ...FURTHER_MEMBER_CASES,
  EVERY_OUTCOME,
  ...HEARTBEAT_CASES,
  ...KEY_CASES,
  ...SCOPE_CASES,
  ...SCOPED_KEY_CASES,
  ...APART_CASES,
  ...STATUS_CASES,
  ...ERROR_BODY_CASES,
  ...NOTE_CASES,
  ...RATE_LIMIT_CASES,
];

/** Describes every case on servers, without running any. */
export function listCases(): CaseDescription[] {
  return describeCases(CASES);
}

/** The ids that a selection takes. @throws CheckUsageError when a pattern matches nothing */
export function selectCaseIds(selection: Selection): string[] {
  return selectCases(CASES, selection).map(({ id }) => id);
}
