import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { answerOf } from '../../../kit/connections.ts';
import { inSentences, listenFailure } from '../../../kit/failures.ts';

const TIMEOUT_MS = 2000;

/** Whether a ticketscan server answers on this port, over HTTP or HTTPS, whatever the certificate. */
export async function servesTicketscan(host: string, port: number): Promise<boolean> {
  const asked = [http, https].map(async ({ get }) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const options = { host, port, path: '/healthz', agent: false, rejectUnauthorized: false };
    const answer = await answerOf(get({ ...options, signal }), signal);
    return (await text(answer)) === '{"status":"ok"}';
  });
  const answers = await Promise.allSettled(asked);
  return answers.some((one) => one.status === 'fulfilled' && one.value);
}

/** Why a server cannot listen, and what to do; often ticketscan itself is there already. */
export async function whyNotListening(error: unknown, host: string, port: number): Promise<string> {
  const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
  if (isTaken && (await servesTicketscan(host, port)))
    return `Port ${port} is taken: ticketscan serves there already. End that server, or choose another port with --port; 0 picks a free one.`;
  return inSentences(listenFailure(error, host, port));
}
