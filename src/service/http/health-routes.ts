import type { FastifyInstance } from 'fastify';
import { messageOf } from '../../core/errors.ts';
import type { HttpDeps } from './deps.ts';

/** The shortest time between two write tests, whatever the number of requests: each one waits for the disk. */
const READINESS_MS = 1000;

/** For process supervisors: alive, and able to register a use. */
export function healthRoutes(app: FastifyInstance, deps: HttpDeps, done: () => void): void {
  let checkedAt = Number.NEGATIVE_INFINITY;
  let checking: Promise<string | undefined> = Promise.resolve(undefined);

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async (_request, reply) => {
    if (performance.now() - checkedAt > READINESS_MS) {
      checkedAt = performance.now();
      checking = deps.checkWritable().then(() => undefined, messageOf);
    }
    const problem = await checking;
    if (problem === undefined) return { status: 'ready' };
    deps.log.error({ error: problem }, 'the store cannot write');
    return reply.code(503).send({ status: 'not ready', message: 'The store cannot write' });
  });
  done();
}
