import { onTestFinished } from 'vitest';
import { JudgeServer } from '../../../src/check/device/judge-server.ts';
import { REAL_DEVICE_WORLD } from '../../../src/check/device/world.ts';
import { REAL_CLOCK } from '../../../src/check/time/clock.ts';
import { makeSelfSigned } from '../../../src/serve/certificate.ts';

/** The server that a device is judged by, which answers everything, and what it says. */
export async function startJudge(isTls: boolean) {
  const refused: string[] = [];
  const requests: string[] = [];
  const handler = {
    answer: ({ target }: { readonly target: string }) => {
      requests.push(target);
      return { status: 200, headers: {}, body: '{}' };
    },
    clock: REAL_CLOCK,
    now: () => 0,
    broken: () => undefined,
    refused: (reason: string) => void refused.push(reason),
  };
  const certificate = isTls ? await makeSelfSigned(['127.0.0.1']) : undefined;
  const server = new JudgeServer(
    handler,
    { host: '127.0.0.1', port: 0, certificate },
    'server',
    REAL_DEVICE_WORLD.network,
  );
  await server.up();
  onTestFinished(() => server.down());
  return { port: server.port, refused, requests };
}
