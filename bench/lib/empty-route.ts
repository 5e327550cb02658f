import { serveWithFastify } from './fastify-route.ts';
import { SAMPLE_ANSWER } from './sample-answer.ts';

/** The reference: nothing between the request and its answer. */
await serveWithFastify(async () => SAMPLE_ANSWER);
