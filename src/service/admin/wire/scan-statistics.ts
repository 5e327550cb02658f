import * as z from 'zod';
import { TICKET_KINDS } from '../../../core/ticket.ts';
import { FileWriting } from '../../../operations/fields.ts';
import { STATISTICS_BY } from '../../manage/statistics/scan-statistics.ts';

const Day = z.string().meta({ description: 'A day, such as 2026-11-22' });

export const ScanStatisticsQuery = z.object({
  /** The first day; six days before `to` by default. */
  from: Day.optional(),
  /** The last day, included; today by default. */
  to: Day.optional(),
  by: z.enum(STATISTICS_BY).default('day'),
  /** Of the days and hours, such as `Europe/Berlin`. */
  timeZone: z
    .string()
    .max(100)
    .default('UTC')
    .meta({ description: 'Of the days and hours, such as Europe/Berlin' }),
  /** Scans of this event only. */
  event: z.string().max(100).optional(),
});

export const ScanStatisticsExportQuery = ScanStatisticsQuery.extend({
  format: z.enum(['csv', 'excel']).default('csv'),
  language: FileWriting.language,
});

const Figures = {
  admitted: z.number().int(),
  /** Consume operations that were refused. */
  denied: z.number().int(),
  /** Validate operations, whatever their outcome. */
  validations: z.number().int(),
  /** Uses that were taken back; they stay in `admitted`. */
  undone: z.number().int(),
  /** Grants at readers that lead outwards. */
  exits: z.number().int(),
};

/** Counted when the scans were logged: pruning the log changes nothing. Repeated answers are not counted. */
export const ScanStatistics = z
  .object({
    from: Day,
    to: Day,
    timeZone: z.string(),
    by: z.enum(STATISTICS_BY),
    /** Days and hours in their order, without a gap; events, gates and types by their number of scans. */
    rows: z.array(
      z.object({
        /** By day. */
        day: Day.optional(),
        /** By hour: its beginning, with the offset of the time zone. */
        hour: z.string().optional(),
        /** By event: the id; null for codes that name none. */
        event: z.string().nullable().optional(),
        eventName: z.string().nullable().optional(),
        /** By gate: the serial of the device, or the name of the key where the device says none. */
        gate: z.string().optional(),
        keyId: z.string().optional(),
        serial: z.string().nullable().optional(),
        /** By type; null where no ticket was found or looked at. */
        type: z.enum(TICKET_KINDS).nullable().optional(),
        ...Figures,
      }),
    ),
    totals: z.object(Figures),
    byReason: z.array(z.object({ reason: z.string(), count: z.number().int() })),
  })
  .meta({ id: 'ScanStatistics' });
export type ScanStatistics = z.output<typeof ScanStatistics>;
