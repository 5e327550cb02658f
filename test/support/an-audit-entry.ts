import type { NewAuditLogEntry } from '../../src/core/administrative-records.ts';

/** An entry for tests that change a store directly and do not care how the audit log tells it. */
export const AN_AUDIT_ENTRY: NewAuditLogEntry = {
  at: 0,
  organisationId: null,
  accountId: null,
  by: 'a test',
  act: 'test',
  subject: '',
  details: {},
};
