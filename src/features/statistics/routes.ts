import * as z from 'zod';
import { FileWriting } from '../../operations/fields.ts';
import { sendFile } from '../../operations/http/answers.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import { type AdminContext, scopeOf } from '../context.ts';
import { sheetWords } from '../sheet-words.ts';
import { statisticsOf } from './operations.ts';
import { ScanStatisticsQuery, statisticsCsv } from './scan-statistics.ts';

/** The statistics of a period as a file. */
export function statisticsRoutes(app: AdminApp, context: AdminContext): void {
  app.get(
    '/statistics/scans/export',
    {
      config: { access: 'viewer', share: 'statistics' },
      schema: {
        tags: ['Statistics'],
        operationId: 'exportScanStatistics',
        summary: 'Scans of a period as a file',
        produces: ['text/csv'],
        querystring: ScanStatisticsQuery.extend({
          format: z.enum(['csv', 'excel']).default('csv'),
          language: FileWriting.language,
        }),
      },
    },
    async (request, reply) => {
      const statistics = await statisticsOf(
        { ...context, scope: scopeOf(request, context) },
        request.query,
      );
      const { format, language } = request.query;
      const { by, from, to, timeZone } = statistics;
      const words = format === 'excel' ? sheetWords({ language, timeZone }) : undefined;
      const name = `statistics-by-${by}-${from}-to-${to}`;
      return sendFile(reply, name, format, statisticsCsv(statistics, words));
    },
  );
}
