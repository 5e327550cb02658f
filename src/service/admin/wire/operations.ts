import * as z from 'zod';
import { Time } from '../../../core/codecs/time.ts';
import { STATISTICS_MINUTES_MAX } from '../../../core/limits.ts';

export const StatisticsQuery = z.object({
  minutes: z.coerce.number().int().min(1).max(STATISTICS_MINUTES_MAX).default(60),
});

const Counts = { admitted: z.number().int(), denied: z.number().int() };

/** Consume operations only: a validate lets nobody in. Repeated answers are not counted. */
export const Statistics = z
  .object({
    /** One for each minute, oldest first; the last is the current one. */
    minutes: z.array(z.object({ at: Time, ...Counts })),
    /** A gate is a device by its serial, or a key where no device says its serial; in those minutes. */
    byGate: z.array(
      z.object({ gate: z.string(), keyId: z.string(), serial: z.string().nullable(), ...Counts }),
    ),
    byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
    /** Since midnight UTC. */
    today: z.object(Counts),
    /** False while the log of these minutes is still being counted: their numbers are then too small. */
    complete: z.boolean(),
  })
  .meta({ id: 'Statistics' });
export type Statistics = z.output<typeof Statistics>;
