import { once } from 'node:events';
import { createServer } from 'node:net';
import { asSentence, listenFailure } from '../../kit/failures.ts';
import { servesTicketscan } from '../../service/commands/serve/addresses.ts';
import { type Finding, Findings } from './finding.ts';

const port = new Findings('port');

/** Whether `serve` could listen, or already does. */
export async function checkPort(host: string, number: number): Promise<Finding> {
  const place = `${host}:${number}`;
  const server = createServer();
  try {
    server.listen(number, host);
    await once(server, 'listening');
    return port.good(number === 0 ? 'Any free port is used.' : `${place} is free.`);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code !== 'EADDRINUSE') {
      const { what, advice } = listenFailure(error, host, number);
      return port.failed(asSentence(what), asSentence(advice));
    }
    if (await servesTicketscan(host, number))
      return port.good(`ticketscan already serves on ${place}.`);
    return port.failed(
      `Another program listens on ${place}.`,
      'Choose another port with --port, or end that program.',
    );
  } finally {
    server.close();
  }
}
