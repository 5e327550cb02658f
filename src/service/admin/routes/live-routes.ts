import { messageOf, TicketscanError } from '../../../core/errors.ts';
import type { Access } from '../../manage/accounts/access.ts';
import type { AdminApp, AdminContext } from '../admin-app.ts';
import { EventStream } from '../live/event-stream.ts';
import { showLive } from '../live/live-log.ts';
import { OrganisationScope } from '../organisation-scope.ts';
import { stillAdmitted } from '../security/guard.ts';
import { Shares } from '../shares.ts';
import { conditionsFrom } from '../views/log-conditions.ts';
import { LiveQuery } from '../wire/log.ts';

/** Each view queries the store four times a second. No organisation can use up the views of another. */
const VIEWERS_MAX = 256;
const VIEWERS_OF_ONE_MAX = 32;

/** The live view of the scan log. */
export function liveRoutes(app: AdminApp, context: AdminContext, access: Access): void {
  const stopping = new AbortController();
  const viewers = new Shares(VIEWERS_MAX, VIEWERS_OF_ONE_MAX);
  app.addHook('preClose', async () => stopping.abort());

  app.get(
    '/log/live',
    {
      config: { access: 'viewer' },
      schema: {
        tags: ['Scan log'],
        operationId: 'streamLog',
        summary: 'New entries as server-sent events',
        description:
          'An event `scan` has an entry, with its number as id: after a lost connection the browser sends it as `Last-Event-ID` and misses nothing. An event `skipped` means that the entries after number `after` up to number `upTo` were not sent, because the client reads too slowly.',
        produces: ['text/event-stream'],
        querystring: LiveQuery,
      },
    },
    async (request, reply) => {
      const { organisationId } = new OrganisationScope(request, context);
      const leave = viewers.enter(organisationId);
      if (!leave) {
        const message = `Too many live views are open: at most ${VIEWERS_OF_ONE_MAX} in an organisation. Close one.`;
        throw new TicketscanError('limit_reached', message, {
          reason: 'live_views_max',
          values: { max: VIEWERS_OF_ONE_MAX },
        });
      }
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
      } finally {
        leave();
      }
    },
  );
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,15}$/.test(header) ? Number(header) : undefined;
}
