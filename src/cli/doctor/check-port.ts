import { once } from 'node:events';
import { createServer } from 'node:net';
import { type Finding, Findings } from './finding.ts';

const port = new Findings('port');

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'Choose one above 1023 with --port.',
  EADDRNOTAVAIL: 'That is no address of this machine: choose one with --host.',
  ENOTFOUND: 'That is no address of this machine: choose one with --host.',
};

/** Whether `serve` could listen, or does already. */
export async function checkPort(host: string, number: number): Promise<Finding> {
  const place = `${host}:${number}`;
  const server = createServer();
  try {
    server.listen(number, host);
    await once(server, 'listening');
    return port.good(number === 0 ? 'Any free port will do.' : `${place} is free.`);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    if (code !== 'EADDRINUSE') {
      return port.failed(`${place} cannot be had (${code}).`, ADVICE[code] ?? 'Choose another.');
    }
    if (await isOurs(host, number)) return port.good(`ticketscan serves on ${place} already.`);
    return port.failed(
      `Another program listens on ${place}.`,
      'Choose another port with --port, or end that program.',
    );
  } finally {
    server.close();
  }
}

const ASK_MS = 2000;

async function isOurs(host: string, number: number): Promise<boolean> {
  const name = host.includes(':') ? `[${host}]` : host;
  try {
    const signal = AbortSignal.timeout(ASK_MS);
    const response = await fetch(`http://${name}:${number}/healthz`, { signal });
    return (await response.text()) === '{"status":"ok"}';
  } catch {
    return false;
  }
}
