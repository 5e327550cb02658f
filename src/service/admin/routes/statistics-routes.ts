import type { FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { checkTimeZone } from '../../../core/time-zone.ts';
import { scopeOf } from '../../../operations/route.ts';
import { type SheetWords, sheetWords } from '../../manage/sheet-words.ts';
import { type ScanStatistics, scanStatistics } from '../../manage/statistics/scan-statistics.ts';
import { statisticsCsv } from '../../manage/statistics/statistics-csv.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { sendFile } from '../files/send-file.ts';
import {
  ScanStatisticsExportQuery,
  ScanStatisticsQuery,
  ScanStatistics as ScanStatisticsWire,
} from '../wire/scan-statistics.ts';

const tags = ['Statistics'];
const config = { access: 'viewer', share: 'statistics' } as const;

/** How many were admitted and denied in a period of days. */
export function statisticsRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/statistics/scans',
    {
      config,
      schema: {
        tags,
        operationId: 'getScanStatistics',
        summary: 'Scans of a period, by day, hour, event, gate or ticket type',
        querystring: ScanStatisticsQuery,
        response: { 200: ScanStatisticsWire },
      },
    },
    (request) => statisticsOf(request, request.query, context),
  );

  app.get(
    '/statistics/scans/export',
    {
      config,
      schema: {
        tags,
        operationId: 'exportScanStatistics',
        summary: 'Scans of a period as a file',
        produces: ['text/csv'],
        querystring: ScanStatisticsExportQuery,
      },
    },
    async (request, reply) => {
      const statistics = await statisticsOf(request, request.query, context);
      const { format, language } = request.query;
      const { by, from, to, timeZone } = statistics;
      const words = format === 'excel' ? sheetWords({ language, timeZone }) : undefined;
      const name = `statistics-by-${by}-${from}-to-${to}`;
      return sendFile(reply, name, format, linesOf(statistics, words));
    },
  );
}

async function statisticsOf(
  request: FastifyRequest,
  query: z.output<typeof ScanStatisticsQuery>,
  context: AdminContext,
): Promise<ScanStatistics> {
  const scope = scopeOf(request, context);
  const { event, timeZone } = query;
  const eventId = event === undefined ? undefined : (await scope.event(event)).id;
  const { organisationId } = scope;
  return scanStatistics(
    context.store,
    { ...query, organisationId, eventId, timeZone: checkTimeZone(timeZone) },
    context.clock.now(),
  );
}

async function* linesOf(
  statistics: ScanStatistics,
  words: SheetWords | undefined,
): AsyncGenerator<string> {
  yield* statisticsCsv(statistics, words);
}
