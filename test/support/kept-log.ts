import { Writable } from 'node:stream';
import { type Logger, pino } from 'pino';

/** A log whose lines are kept for a test to look at. */
export function keptLog(level: 'debug' | 'trace' | 'info'): { log: Logger; text: () => string } {
  const lines: string[] = [];
  const stream = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(String(chunk));
      done();
    },
  });
  return { log: pino({ level }, stream), text: () => lines.join('') };
}
