import type { AuditLogEntry } from '../../../core/administrative-records.ts';
import { scopeOf } from '../../../operations/route.ts';
import { OutcomeStatistics } from '../../manage/statistics/outcome-statistics.ts';
import { figuresOfToday } from '../../manage/statistics/scan-statistics.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { devicesOf } from '../views/device-view.ts';
import { statisticsView } from '../views/statistics-view.ts';
import {
  type AuditEntry,
  AuditList,
  AuditQuery,
  DeviceList,
  Statistics,
  StatisticsQuery,
} from '../wire/operations.ts';

/** The state of devices and gates, the audit log. */
export function operationRoutes(app: AdminApp, context: AdminContext): void {
  const statistics = new OutcomeStatistics(context.store, context.clock);
  const config = { access: 'viewer' } as const;

  app.get(
    '/devices',
    {
      config,
      schema: {
        tags: ['Devices'],
        operationId: 'listDevices',
        summary: 'Devices with a recent heartbeat or scan',
        response: { 200: DeviceList },
      },
    },
    async (request) => {
      const items = await devicesOf(scopeOf(request, context), context);
      return { items, next: null };
    },
  );

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

  auditLogRoute(app, context);
}

function auditLogRoute(app: AdminApp, context: AdminContext): void {
  app.get(
    '/audit-trail',
    {
      // It names the accounts, which are for owners too.
      config: { access: 'owner' },
      schema: {
        tags: ['Audit log'],
        operationId: 'readAuditTrail',
        summary: 'The audit log: who changed what, and when; newest first',
        querystring: AuditQuery,
        response: { 200: AuditList },
      },
    },
    async (request) => {
      const { organisationId } = scopeOf(request, context);
      const { before, limit } = request.query;
      const entries = await context.store.readAuditLog({
        organisationId,
        limit,
        ...(before !== undefined && { beforeSequence: before }),
      });
      const last = entries.length === limit ? entries.at(-1) : undefined;
      return { items: entries.map(auditEntryView), next: last?.sequence ?? null };
    },
  );
}

function auditEntryView({ organisationId: _, ...entry }: AuditLogEntry): AuditEntry {
  const byKind = entry.accountId === null ? 'command_line' : 'account';
  return { ...entry, byKind, details: { ...entry.details } };
}
