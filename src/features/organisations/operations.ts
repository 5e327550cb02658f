import { OWNERS_KEYS_MAX } from '../../core/limits.ts';
import type { Organisation } from '../../core/records.ts';
import type { OperationContext } from '../../operations/context.ts';
import { operation } from '../../operations/operation.ts';
import { OwnOrganisation } from './organisation.ts';
import { mayRaiseKeys } from './owners-limits.ts';

const tag = 'Organisation';

export const getOrganisation = operation({
  id: 'getOrganisation',
  http: 'GET /organisation',
  tag,
  role: 'viewer',
  summary: 'Your organisation',
  description:
    'Its limits apply to each key. The operator of the service changes them: `ticketscan organisations edit` on the store. Where `keysMaxTo` is a number, owners may raise the number of keys to it: while the store has one organisation whose limits the operator never set.',
  answer: OwnOrganisation,
  run: async (context) => shownOrganisation(await context.scope.onlyOne(), context),
});

export async function shownOrganisation(
  organisation: Organisation,
  { store }: Pick<OperationContext, 'store'>,
) {
  const isRaisable =
    organisation.limits.keysMax < OWNERS_KEYS_MAX && (await mayRaiseKeys(store, organisation));
  return { ...organisation, keysMaxTo: isRaisable ? OWNERS_KEYS_MAX : null };
}
