import { serveWithFastify } from './fastify-route.ts';
import { SAMPLE_ANSWER } from './sample-answer.ts';

/** The empty route with its replies in bursts, as a server writes them that waits for a commit of many. */
const waiting: (() => void)[] = [];

await serveWithFastify(async () => {
  await new Promise<void>((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(() => setImmediate(answerAll));
  });
  return SAMPLE_ANSWER;
});

function answerAll(): void {
  for (const resolve of waiting.splice(0)) resolve();
}
