import { finished, Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { RetryLater } from '../../core/errors.ts';

const RETRY_AFTER_S = 3;

/** How many requests may work at the same time. */
export interface ShareBounds {
  readonly all: number;
  /** How many requests of one organisation may work. */
  readonly each: number;
  /** How many more requests of one organisation wait in line before one is refused. */
  readonly waiting: number;
}

interface Waiting {
  readonly organisationId: string;
  readonly enter: () => void;
}

/** A bounded number of places that organisations share: one organisation cannot take all of them. */
export class Shares {
  readonly #bounds: ShareBounds;
  readonly #taken = new Map<string, number>();
  #all = 0;
  #line: Waiting[] = [];

  constructor(bounds: ShareBounds) {
    this.#bounds = bounds;
  }

  /**
   * Takes a place, when it is the organisation's turn.
   * @returns a function that releases the place; a second call does nothing
   * @throws RetryLater when too many of the organisation wait already
   */
  async enter(organisationId: string): Promise<() => void> {
    if (this.#isFree(organisationId)) this.#change(organisationId, 1);
    else await this.#turn(organisationId);
    let isIn = true;
    return () => {
      if (isIn) this.#leave(organisationId);
      isIn = false;
    };
  }

  #isFree(organisationId: string): boolean {
    const { all, each } = this.#bounds;
    return this.#all < all && (this.#taken.get(organisationId) ?? 0) < each;
  }

  #turn(organisationId: string): Promise<void> {
    const waiting = this.#line.filter((one) => one.organisationId === organisationId).length;
    if (waiting >= this.#bounds.waiting) throw new RetryLater('busy', RETRY_AFTER_S);
    return new Promise((enter) => this.#line.push({ organisationId, enter }));
  }

  #leave(organisationId: string): void {
    this.#change(organisationId, -1);
    const next = this.#line.findIndex((one) => this.#isFree(one.organisationId));
    const [admitted] = next < 0 ? [] : this.#line.splice(next, 1);
    if (!admitted) return;
    this.#change(admitted.organisationId, 1);
    admitted.enter();
  }

  #change(organisationId: string, by: 1 | -1): void {
    this.#all += by;
    const taken = (this.#taken.get(organisationId) ?? 0) + by;
    if (taken === 0) this.#taken.delete(organisationId);
    else this.#taken.set(organisationId, taken);
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The places that a request of the route takes; by default those of short requests. */
    share?: ShareName;
  }
  interface FastifyRequest {
    /** Releases the request's place. */
    leaveShare: (() => void) | null;
  }
}

/**
 * The share of a server that each kind of work may use, so that gates still get answers. Requests of a kind that waits in line are answered
 * late, but not refused, because a page sends several at once.
 */
const SHARES = {
  short: { all: 6, each: 2, waiting: 100 },
  /** Each scan is a gate, which must not wait behind the office of its own organisation. */
  scans: { all: 128, each: 64, waiting: 1000 },
  exports: { all: 6, each: 2, waiting: 0 },
  statistics: { all: 4, each: 2, waiting: 6 },
  changes: { all: 2, each: 1, waiting: 4 },
  uploads: { all: 4, each: 2, waiting: 0 },
  /** A sheet takes about a tenth of a second; sheets are drawn one after the other. */
  sheets: { all: 64, each: 8, waiting: 0 },
  /** Each live view queries the store four times a second. */
  live: { all: 256, each: 32, waiting: 0 },
} as const satisfies Record<string, ShareBounds>;

type ShareName = keyof typeof SHARES;

/** The longest body on a route for anyone, and on all others that raise no limit of their own: a longer one is refused before it is read. */
const BODY_OF_STRANGERS_BYTES_MAX = 4 * 1024;
const BODY_BYTES_MAX = 64 * 1024;

/**
 * Bounds what one organisation can ask at the same time and send in one request (ADR 0116). Registered after `guard`,
 * which says who asks.
 */
export function shareFairly(app: FastifyInstance): void {
  const shares = Object.fromEntries(
    Object.entries(SHARES).map(([name, bounds]) => [name, new Shares(bounds)]),
  ) as Record<ShareName, Shares>;
  app.decorateRequest('leaveShare', null);
  app.addHook('onRoute', boundRoute);
  app.addHook('onRequest', async (request, reply) => {
    // Requests without an account have separate places, those of the slow hash.
    if (!request.principal) return;
    const { share = 'short' } = request.routeOptions.config;
    request.leaveShare = await shares[share].enter(request.principal.organisation.id);
    reply.raw.once('close', () => {
      // An answer that the route itself writes ends with its connection.
      if (reply.sent) request.leaveShare?.();
    });
  });
  app.addHook('onSend', async (request, _reply, payload) => leaveWith(request, payload));
}

function boundRoute(route: RouteOptions): void {
  const { access, share } = route.config ?? {};
  route.bodyLimit ??= access === 'anyone' ? BODY_OF_STRANGERS_BYTES_MAX : BODY_BYTES_MAX;
  if ((route.schema as { produces?: unknown } | undefined)?.produces && !share) {
    throw new Error(
      `route ${String(route.method)} ${route.url} sends a file and declares no share`,
    );
  }
}

/** Releases the place of a file when it is sent. For a HEAD, the file is not made. */
function leaveWith(request: FastifyRequest, payload: unknown): unknown {
  const leave = () => request.leaveShare?.();
  if (!(payload instanceof Readable)) {
    leave();
    return payload;
  }
  finished(payload, leave);
  if (request.method !== 'HEAD') return payload;
  payload.destroy();
  return Readable.from([]);
}
