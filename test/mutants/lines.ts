import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CheckResult, check } from '../../src/check/index.ts';
import { startServer } from './reference/server.ts';

/** A line to a server: its address, and what ends it. */
export interface Line {
  readonly baseUrl: string;
  close(): void;
}

/** Checks a right server over a line to it. */
export async function checkOver(lineTo: (baseUrl: string) => Promise<Line>): Promise<CheckResult> {
  const { baseUrl, target, close } = await startServer();
  const line = await lineTo(baseUrl);
  try {
    return await check({ baseUrl: line.baseUrl, target, consume: true, maxRate: 5000 });
  } finally {
    line.close();
    await close();
  }
}

/** What happens to a packet on a line, of so many that pass. */
export interface Losses {
  /** One request in so many ends its connection: half of them after the server had it. */
  readonly dropped?: number;
  /** One answer in so many is cut in the middle. */
  readonly cut?: number;
  readonly random: () => number;
}

/** A line to a server on this machine that loses requests and answers. */
export async function lossyLine(baseUrl: string, { dropped, cut, random }: Losses): Promise<Line> {
  const sockets = new Set<Socket>();
  const isOne = (of: number | undefined) => of !== undefined && random() * of < 1;
  const server = net.createServer((client) => {
    const far = net.connect(Number(new URL(baseUrl).port), '127.0.0.1');
    const end = () => {
      client.destroy();
      far.destroy();
    };
    for (const socket of [client, far]) sockets.add(socket.on('error', end).on('end', end));
    client.on('data', (bytes) => {
      if (!isOne(dropped)) return far.write(bytes);
      if (random() < 0.5) far.write(bytes, () => setTimeout(end, 5));
      else end();
      return true;
    });
    far.on('data', (bytes: Buffer) => {
      if (!isOne(cut)) return client.write(bytes);
      return client.write(bytes.subarray(0, bytes.length / 2), end);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A line to a server on this machine that takes its time each way, in milliseconds, and keeps the order of bytes. */
export async function slowLine(baseUrl: string, delayMs: () => number): Promise<Line> {
  const sockets = new Set<Socket>();
  const server = net.createServer((client) => {
    const far = net.connect(Number(new URL(baseUrl).port), '127.0.0.1');
    for (const [from, to] of [
      [client, far],
      [far, client],
    ] as const) {
      sockets.add(from.on('error', () => to.destroy()));
      let before = Promise.resolve();
      const late = (act: () => void) => {
        const onTime = sleep(delayMs());
        before = before.then(() => onTime).then(act);
      };
      from.on('data', (bytes) => late(() => to.write(bytes)));
      from.on('end', () => late(() => to.end()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
