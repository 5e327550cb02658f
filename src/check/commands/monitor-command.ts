import { setTimeout as wait } from 'node:timers/promises';
import { Command, InvalidArgumentError, Option } from 'commander';
import { METRICS_SETTINGS } from '../../config/settings.ts';
import { metricsAddress, serveMetrics } from '../../serve/metrics-listener.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import { addSettings, readSettings } from '../../terminal/options.ts';
import { CheckUsageError } from '../index.ts';
import type { ReachFlags } from './explore-options.ts';
import { addReachOptions, asCommand, duration, flagsOf, reachOptions } from './explore-options.ts';
import { readTargetFile } from './files.ts';
import { exitCodeOfProbe, type Probe, type ProbeOptions, probe, probeLine } from './probe.ts';

interface MonitorFlags extends ReachFlags {
  readonly target?: string;
  readonly once?: boolean;
  readonly every: number;
  readonly json?: boolean;
}

const EVERY_MIN_MS = 1000;

const EXAMPLES = `
Examples:
  ticketscan check monitor https://scan.example.org --target target.json
  ticketscan check monitor --target target.json --once          for cron
  ticketscan check monitor --target target.json --every 5m --metrics 127.0.0.1:9465

A probe validates one good ticket and one manipulated code and sends a heartbeat, each where the target file has what it
needs: a key, and a ticket that stays unused, such as a permanent card. It takes no use. Its validations count towards
the monthly quota of the keys: about 4 a probe for the key of own software, 1 for the hardware key.
Exit codes of --once: 0 good, 1 the answers are wrong, 2 wrong usage, 3 the service cannot be reached.
Without --once it goes on until Ctrl-C, which ends it with 0.`;

/** `ticketscan check monitor`: a few questions that take no use, again and again. */
export function monitorCommand(io: CliIo): Command {
  const command = new Command('monitor')
    .description('Probe a service every minute with scans that take no use, until Ctrl-C.')
    .argument('[base-url]', "the service (default: the target file's baseUrl)")
    .option('--target <file>', 'keys and tickets of the deployment [TICKETSCAN_TARGET]')
    .option('--once', 'one probe, with its result as exit code')
    .addOption(
      new Option('--every <duration>', 'time between two probes')
        .argParser(interval)
        .default(60_000, '1m'),
    )
    .option('--json', 'one JSON object a line for each probe');
  addReachOptions(addSettings(command, METRICS_SETTINGS));
  return command
    .addHelpText('after', EXAMPLES)
    .action((baseUrl: string | undefined, _: object, self: Command) =>
      asCommand(() => run(baseUrl, self, io)),
    );
}

async function run(baseUrl: string | undefined, self: Command, io: CliIo): Promise<void> {
  const flags = flagsOf<MonitorFlags>(self);
  const address = metricsAddress(readSettings(METRICS_SETTINGS, { ...flags }, io));
  const file = flags.target ?? (io.env['TICKETSCAN_TARGET'] || undefined);
  if (file === undefined) {
    throw new CheckUsageError(
      'A probe needs keys and a ticket: add --target FILE. `ticketscan check init` makes such a file.',
    );
  }
  const signal = io.stopSignal();
  const target = readTargetFile(file, io);
  const options = { baseUrl, target, signal, ...reachOptions(flags, io) };
  const tell = (result: Probe) => {
    if (flags.json) io.out(JSON.stringify({ event: 'probe', ...result }));
    else io.out(probeLine(result));
  };
  if (flags.once) {
    const result = await probe(options);
    tell(result);
    io.exit(exitCodeOfProbe(result));
    return;
  }
  if (!address) return goOn(options, flags.every, tell);
  // Loaded where somebody reads them.
  const { ProbeMetrics } = await import('./probe-metrics.ts');
  const metrics = new ProbeMetrics();
  const listener = await serveMetrics(metrics.registry, address);
  note(io, `Metrics for Prometheus: ${listener.url}`);
  try {
    await goOn(options, flags.every, (result) => {
      metrics.note(result);
      tell(result);
    });
  } finally {
    await listener.close();
  }
}

/** Probes until the signal. A probe that it cut short is not told: it says nothing of the server. */
async function goOn(
  options: ProbeOptions,
  everyMs: number,
  tell: (result: Probe) => void,
): Promise<void> {
  const { signal } = options;
  while (!signal.aborted) {
    const beganAt = performance.now();
    const result = await probe(options);
    if (signal.aborted) return;
    tell(result);
    const restMs = Math.max(0, everyMs - (performance.now() - beganAt));
    await wait(restMs, undefined, { signal }).catch(() => {});
  }
}

function interval(text: string): number {
  const ms = duration(text);
  if (ms >= EVERY_MIN_MS) return ms;
  throw new InvalidArgumentError('It must be 1s or longer.');
}
