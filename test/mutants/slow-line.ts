import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A line to a server on this machine that takes its time each way, in milliseconds, and keeps the order of bytes.
 * @returns its address, and what ends it
 */
export async function slowLine(baseUrl: string, delayMs: () => number) {
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
