import { once } from 'node:events';
import { parentPort, type Worker } from 'node:worker_threads';
import type { Explanation } from '../core/error-reasons.ts';
import { type ErrorCode, explanationOf, messageOf, TicketscanError } from '../core/errors.ts';

/** What a worker thread answers to a job. */
type Reply<Result> = { readonly result: Result } | { readonly failure: Failure };

interface Failure extends Explanation {
  readonly message: string;
  readonly code: ErrorCode | undefined;
}

/** Inside a worker thread: does one job at a time and says how it ended. */
export function serveJobs<Job, Result>(run: (job: Job) => Promise<Result>): void {
  const reply = (message: Reply<Result>) => parentPort?.postMessage(message);
  parentPort?.on('message', (job: Job) => {
    run(job).then(
      (result) => reply({ result }),
      (error: unknown) => {
        const code = error instanceof TicketscanError ? error.code : undefined;
        const explanation = error instanceof TicketscanError ? explanationOf(error) : {};
        reply({ failure: { message: messageOf(error), code, ...explanation } });
      },
    );
  });
}

/**
 * Gives a worker that serves jobs one of them; it must have no other under way.
 * @throws what the job threw, and when the worker breaks
 */
export async function giveJob<Job, Result>(worker: Worker, job: Job): Promise<Result> {
  worker.postMessage(job);
  // `once` rejects when the worker emits an error instead.
  const [reply] = (await once(worker, 'message')) as [Reply<Result>];
  if ('result' in reply) return reply.result;
  const { message, code, ...explanation } = reply.failure;
  throw code ? new TicketscanError(code, message, explanation) : new Error(message);
}
