import type { Settings } from '../../../config/settings.ts';
import { TicketscanError } from '../../../core/errors.ts';
import type { CliIo } from '../../../terminal/io.ts';
import { isLoopback } from './loopback.ts';

/**
 * Who has the token of the run can empty the store and stop the clock. It may get into logs of a test run: the controls
 * are for this machine alone as well.
 * @throws TicketscanError `usage` for an address that others reach, itself or through a proxy
 */
export function refuseControlsForOthers({
  host,
  tlsElsewhere,
}: Pick<Settings, 'host' | 'tlsElsewhere'>): void {
  if (!isLoopback(host)) {
    throw new TicketscanError(
      'usage',
      `--test-controls lets clients change clock and data, and other machines can reach ${host}. ` +
        'Keep --host at 127.0.0.1, or remove --test-controls.',
    );
  }
  if (tlsElsewhere) {
    throw new TicketscanError(
      'usage',
      '--test-controls and --tls-elsewhere cannot be combined: a proxy in front would give others access to the controls.',
    );
  }
}

/** On stderr, in every mode: nobody shall run a gate on such a server by mistake. */
export function warnOfControls(io: Pick<CliIo, 'err'>, url: string, store: string): void {
  io.err(
    'TEST CONTROLS ARE ON: do not use this at a gate. Anyone with the token of the start line',
  );
  io.err(`can change the clock, the data and the answers of this server under ${url}/_test.`);
  if (store !== 'memory:') {
    io.err('Reset, snapshot and restore need --store memory:; with this store they are refused.');
  }
}
