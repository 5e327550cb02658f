import type { AdministrativeDocument, DocumentBound } from '../../core/administrative-records.ts';
import { TicketscanError } from '../../core/errors.ts';

/**
 * Refuses a document for which there is no room. Engines call it inside the transaction of the write.
 * @param stored every document of the same kind
 * @throws TicketscanError `limit_reached`
 */
export function refuseTooMany(
  stored: readonly AdministrativeDocument[],
  document: AdministrativeDocument,
  bounds: readonly DocumentBound[],
): void {
  for (const { member, countMax, refusal, reason } of bounds) {
    const text = memberOf(document, member);
    const others = stored.filter(
      (other) => other.id !== document.id && memberOf(other, member) === text,
    );
    if (others.length >= countMax)
      throw new TicketscanError('limit_reached', refusal, { reason, values: { max: countMax } });
  }
}

function memberOf({ value }: AdministrativeDocument, member: string): unknown {
  return (value as Readonly<Record<string, unknown>>)[member];
}
