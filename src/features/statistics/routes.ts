import * as z from 'zod';
import { FileWriting } from '../../operations/fields.ts';
import { sendFile } from '../../operations/http/answers.ts';
import type { AdminApp } from '../../operations/http/route.ts';
import { type AdminContext, scopeOf } from '../context.ts';
import { sheetWords } from '../sheet-words.ts';
import { closingCsv } from './closing-sheet.ts';
import { closingFor, ScanClosingQuery, statisticsOf } from './operations.ts';
import { ScanStatisticsQuery, statisticsCsv } from './scan-statistics.ts';

const Writing = {
  format: z.enum(['csv', 'excel']).default('csv'),
  language: FileWriting.language,
};

/** The statistics of a period and a closing as files. */
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
        querystring: ScanStatisticsQuery.extend(Writing),
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
      const name = `statistics-by-${by.replace(',', '-')}-${from}-to-${to}`;
      return sendFile(reply, name, format, statisticsCsv(statistics, words));
    },
  );
  app.get(
    '/statistics/closing/export',
    {
      config: { access: 'viewer', share: 'statistics' },
      schema: {
        tags: ['Statistics'],
        operationId: 'exportScanClosing',
        summary: 'A closing as a file',
        produces: ['text/csv'],
        querystring: ScanClosingQuery.extend(Writing),
      },
    },
    async (request, reply) => {
      const closing = await closingFor(
        { ...context, scope: scopeOf(request, context) },
        request.query,
      );
      const { format, language } = request.query;
      const { from, to, timeZone } = closing;
      const words = format === 'excel' ? sheetWords({ language, timeZone }) : undefined;
      const name = `closing-${from === to ? from : `${from}-to-${to}`}`;
      return sendFile(reply, name, format, closingCsv(closing, words));
    },
  );
}
