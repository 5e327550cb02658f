import * as z from 'zod';
import { operation } from '../context.ts';
import { administrationOf } from '../tickets/operations.ts';

const ERASED_AT_ONCE_MAX = 100;

const Erased = z
  .object({
    erased: z.number().int().meta({ description: 'how many of the tickets had a holder' }),
    isPurged: z.boolean().meta({
      description: "false when bytes of the names may still be in free space of the store's files",
    }),
  })
  .meta({ id: 'Erased' });

export const eraseHolders = operation({
  id: 'eraseHolders',
  http: 'POST /tickets/erase-holders',
  tag: 'Tickets',
  role: 'owner',
  share: 'changes',
  summary: 'Erase the holders of tickets',
  description:
    'Permanently removes the names from the tickets, from stored answers and from the audit log, and the reasons of uses that were taken back. The ' +
    'tickets stay valid. Backups and printed tickets are not changed.',
  body: z.object({ ids: z.array(z.string().min(1).max(100)).min(1).max(ERASED_AT_ONCE_MAX) }),
  answer: Erased,
  run: async (context, { ids }) => {
    // On the store also of tickets that were deleted: the audit log may still name their holders.
    if (context.server) await context.scope.tickets(ids);
    const erased = await administrationOf(context).eraseHolders(ids);
    // Gates wait for a patient purge; a command on the store has the time.
    return { erased, isPurged: await context.store.purgeErased(!context.server) };
  },
});
