import { messageOf } from '../../../core/errors.ts';
import type { Access } from '../../../features/accounts/access.ts';
import { scopeOf } from '../../../operations/route.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { EventStream } from '../live/event-stream.ts';
import { showLive } from '../live/live-log.ts';
import { stillAdmitted } from '../security/guard.ts';
import { conditionsFrom } from '../views/log-conditions.ts';
import { LiveQuery } from '../wire/log.ts';

/** The live view of the scan log. */
export function liveRoutes(app: AdminApp, context: AdminContext, access: Access): void {
  const stopping = new AbortController();
  app.addHook('preClose', async () => stopping.abort());

  app.get(
    '/log/live',
    {
      config: { access: 'viewer', share: 'live' },
      schema: {
        tags: ['Scan log'],
        operationId: 'streamLog',
        summary: 'New entries as server-sent events',
        description:
          'Without `after` it begins with an event `latest`: the newest 200 entries that meet the conditions, newest first. It comes again, in place of everything sent before, when the log begins anew, as after a restored backup. An event `scan` has an entry, with its number as id: after a lost connection the browser sends it as `Last-Event-ID` and misses nothing. An event `skipped` means that the entries after number `after` up to number `upTo` were not sent, because the client reads too slowly.',
        produces: ['text/event-stream'],
        querystring: LiveQuery,
      },
    },
    async (request, reply) => {
      const { organisationId } = scopeOf(request, context);
      if (request.method === 'HEAD') return reply.type('text/event-stream').send();
      const { after, ...given } = request.query;
      const headers = reply.getHeaders();
      reply.hijack();
      // The server answers clients that have ended their side; this answer has no end of its own.
      request.raw.socket.once('end', () => reply.raw.destroy());
      try {
        const viewer = {
          stream: new EventStream(reply.raw, headers),
          conditions: conditionsFrom(given, organisationId),
          afterSequence: lastEventId(request.headers['last-event-id']) ?? after,
          mayGoOn: () => stillAdmitted(access, request),
        };
        await showLive(context.store, viewer, stopping.signal);
      } catch (error) {
        context.log.error({ error: messageOf(error) }, 'a live view ended');
        reply.raw.destroy();
      }
      return reply;
    },
  );
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
