import { reaches } from '../../core/administrative-records.ts';
import { RefusalListJson } from '../../core/codecs/records.ts';
import { operation } from '../../operations/operation.ts';
import { allRefusals, refusalsOf } from './refusal-reader.ts';

const tag = 'Scan log';

/** Scans and heartbeats that were refused because of their key or a limit; they are in no scan log. */
export const readRefusals = operation({
  id: 'readRefusals',
  http: 'GET /refusals',
  tag,
  role: 'viewer',
  summary: 'Count requests that were refused because of a key or a limit',
  description:
    'The latest first: with disabled and deleted keys of the organisation, keys of the other integration type, and over a limit. Alike requests are one item. The counts are written within seconds and dropped 30 days after the last request. Unknown and mistyped keys belong to no organisation: `unknownKeys` says whether they are listed, for an owner of the only organisation of the store. Else the operator sees them: `ticketscan log --refused --store URL`.',
  answer: RefusalListJson,
  run: async ({ store, clock, scope }) => {
    const { organisation, role } = scope;
    const { rows, ...seen } = organisation
      ? await refusalsOf(store, organisation.id, reaches(role, 'owner'), clock.now())
      : await allRefusals(store, clock.now());
    return { items: rows, ...seen };
  },
});
