import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { Access } from '../../scan/accounts/access.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { EventStream } from '../live/event-stream.ts';
import { showLive } from '../live/live-log.ts';
import { Own } from '../own.ts';
import { stillAdmitted } from '../security/guard.ts';
import { conditionsFrom } from '../views/log-view.ts';
import { LiveQuery } from '../wire/log.ts';

/** Each asks the store four times a second. */
const VIEWERS_MAX = 64;

/** The log as it happens. */
export function liveRoutes(app: AdminApp, context: AdminContext, access: Access): void {
  const stopping = new AbortController();
  let viewers = 0;
  app.addHook('preClose', async () => stopping.abort());

  app.get(
    '/log/live',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Scan log'],
        summary: 'New entries as server-sent events',
        description:
          'Events `scan` hold an entry, with its number as id: after a break, the browser sends it as `Last-Event-ID` and nothing is missed. An event `skipped` says `after` and `upTo` which numbers entries were left out, because more came than could be sent.',
        produces: ['text/event-stream'],
        querystring: LiveQuery,
      },
    },
    async (request, reply) => {
      const { organisationId } = new Own(request, context);
      if (viewers >= VIEWERS_MAX) {
        throw new TicketscanError('limit_reached', `${VIEWERS_MAX} live views are open already.`);
      }
      const { after, ...given } = request.query;
      const headers = reply.getHeaders();
      reply.hijack();
      viewers += 1;
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
      } finally {
        viewers -= 1;
      }
    },
  );
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
