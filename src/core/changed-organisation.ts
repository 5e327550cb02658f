import type { Organisation, OrganisationChanges } from './records.ts';

/** The organisation after its changes; what is undefined there stays as it is. */
export function changedOrganisation(
  organisation: Organisation,
  { name, timeZone, limits }: OrganisationChanges,
): Organisation {
  const { timeZone: zoneBefore, ...others } = organisation;
  const zone = timeZone === undefined ? zoneBefore : timeZone;
  return {
    ...others,
    name: name ?? organisation.name,
    limits: { ...organisation.limits, ...limits },
    ...(zone != null && { timeZone: zone }),
  };
}
