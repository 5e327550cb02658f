import type { NewTrailEntry } from '../../src/core/administrative-records.ts';

/** For tests that change a store directly and do not care how the audit log tells it. */
export const AN_ACT: NewTrailEntry = {
  at: 0,
  organisationId: null,
  accountId: null,
  by: 'a test',
  act: 'test',
  subject: '',
  details: {},
};
