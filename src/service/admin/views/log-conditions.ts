import type { LogConditions } from '../../manage/log-reader.ts';
import type { LogConditions as GivenConditions } from '../wire/log.ts';

/** The conditions of a request, within the organisation that asks. */
export function conditionsFrom(given: GivenConditions, organisationId: string): LogConditions {
  const { ticket, key, event, serial, outcome, from, until } = given;
  return {
    organisationId,
    ...(ticket !== undefined && { ticketId: ticket }),
    ...(key !== undefined && { keyId: key }),
    ...(event !== undefined && { eventId: event }),
    ...(serial !== undefined && { serial }),
    ...(outcome !== undefined && { outcome }),
    ...(from !== undefined && { fromAt: from }),
    ...(until !== undefined && { untilAt: until }),
  };
}
