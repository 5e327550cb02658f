import { addressesOf } from '../../config/addresses.ts';
import { TicketscanError } from '../../core/errors.ts';
import { plainCommand } from '../../terminal/command.ts';
import { readSettings } from '../../terminal/options.ts';
import { CallFailure, call } from '../doctor/call.ts';

const EXAMPLES = `
Examples:
  ticketscan health                  the service with this machine's settings
  ticketscan health --port 9000      another port
  docker exec gate ticketscan health

Reads host, port and certificate from the same variables and configuration file as serve, and asks for /readyz. It sends
no key and accepts every certificate, because it only calls this machine.
Exit code 0 when the service is ready, 1 when its store cannot write, 3 when nothing answers.`;

const SETTINGS = ['host', 'port', 'tlsCert', 'tlsSelfSigned'] as const;

/** `ticketscan health`: for supervisors without a client for HTTP, such as the health check of a container. */
export const command = plainCommand({
  name: 'health',
  summary: 'Ask the service on this machine whether it is ready: it runs, and its store can write.',
  json: '{"ready", "url", "status"}',
  help: EXAMPLES,
  settings: SETTINGS,
  run: async (io, options) => {
    const { host, port, tlsCert, tlsSelfSigned } = readSettings(SETTINGS, options, io);
    const [url] = addressesOf(host, port, tlsCert !== undefined || tlsSelfSigned);
    const status = await readiness(url);
    const ready = status === 200;
    if (options.json) io.out(JSON.stringify({ ready, url, status }));
    else io.out(ready ? `${url} is ready.` : notReady(url, status));
    io.exit(ready ? 0 : 1);
  },
});

/** @returns the status of `/readyz` @throws TicketscanError `unreachable` */
async function readiness(url: string): Promise<number> {
  try {
    return (await call(new URL('/readyz', url), '', { method: 'GET' })).status;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    if (error.status !== undefined) return error.status;
    throw new TicketscanError('unreachable', `${error.message} ${error.advice}`, { cause: error });
  }
}

function notReady(url: string, status: number): string {
  return status === 503
    ? `${url} is not ready: its store cannot write. The log of the service says why.`
    : `${url} answers /readyz with ${status}: it is not ticketscan, or not its root address.`;
}
