import { Command, type CommandUnknownOpts } from '@commander-js/extra-typings';
import { TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { SimulateError } from '../errors.ts';
import { addSimulateOptions, type SimulateOptions } from './options.ts';

const EXAMPLES = `
Examples:
  ticketscan simulate http://127.0.0.1:8080 --key env:KEY --card ticket.png
  ticketscan simulate http://127.0.0.1:8080 --cards-from target.json --devices 60 --rate 20 --duration 1m
  ticketscan simulate http://127.0.0.1:8080 --cards-from target.json --cards fresh --token env:TOKEN \\
      --rate 40 --duration 30s --expect "p99<300ms" --expect errors=0 --expect denied=0 --report rush.json
  ticketscan simulate http://127.0.0.1:8080 --key env:KEY --device-file gatex.yaml --card ticket.png
  ticketscan simulate virtual: --scenario fixtures/scenarios/*.yaml

The address virtual: is a small service in memory on a virtual clock: the same seed gives the same events.
Exit code 0 when every card opened the door (one device) or every --expect was met (a fleet), otherwise 1;
2 for a usage error, 3 when the server cannot be reached.`;

/** `ticketscan simulate`: plays devices at a gate. */
export function command(io: CliIo): CommandUnknownOpts {
  const simulate = new Command('simulate')
    .description('Simulate devices at a gate: one that reads a card, or thousands under load.')
    .argument('[base-url]', 'address of the server, or virtual:')
    .addHelpText('after', EXAMPLES)
    .action(async (baseUrl, options) => {
      try {
        await simulateAs(baseUrl, options as SimulateOptions, io);
      } catch (error) {
        throw asCliError(error);
      }
    });
  addSimulateOptions(simulate as unknown as Command);
  return simulate;
}

async function simulateAs(
  baseUrl: string | undefined,
  options: SimulateOptions,
  io: CliIo,
): Promise<void> {
  if (options.scenario !== undefined) {
    const { runScenarios } = await import('./run-scenarios.ts');
    await runScenarios(baseUrl, options, io);
    return;
  }
  if (options.hook !== undefined) throw new SimulateError('--hook needs --scenario.');
  if (options.commands) {
    const { obeyCommands } = await import('./obey.ts');
    await obeyCommands(baseUrl, options, io);
    return;
  }
  const { simulateRun } = await import('./run.ts');
  await simulateRun(baseUrl, options, io);
}

/** The simulator shares nothing with the rest of the program, not even its errors. */
function asCliError(error: unknown): unknown {
  if (!(error instanceof SimulateError)) return error;
  return new TicketscanError('usage', error.message, { cause: error });
}
