import { scopeOf } from '../../../operations/route.ts';
import { OutcomeStatistics } from '../../manage/statistics/outcome-statistics.ts';
import { figuresOfToday } from '../../manage/statistics/scan-statistics.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { statisticsView } from '../views/statistics-view.ts';
import { Statistics, StatisticsQuery } from '../wire/operations.ts';

/** The state of devices and gates, the audit log. */
export function operationRoutes(app: AdminApp, context: AdminContext): void {
  const statistics = new OutcomeStatistics(context.store, context.clock);
  const config = { access: 'viewer' } as const;

  app.get(
    '/statistics',
    {
      config,
      schema: {
        tags: ['Statistics'],
        operationId: 'getStatistics',
        summary: 'Admitted and denied, by minute, gate and reason',
        querystring: StatisticsQuery,
        response: { 200: Statistics },
      },
    },
    async (request) => {
      const { organisationId } = scopeOf(request, context);
      const { counts, complete } = await statistics.of(organisationId);
      const now = context.clock.now();
      const today = await figuresOfToday(context.store, organisationId, now);
      return statisticsView({ counts, complete, today }, request.query.minutes, now);
    },
  );
}
