import { Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { applyCommand } from './privacy/apply-command.ts';
import { cleanCommand, eraseCommand } from './privacy/erase-command.ts';

const EXAMPLES = `
Examples:
  ticketscan privacy erase tkt_ab12cd_0123456789abcdefghij
  ticketscan privacy erase --name "Ada Lovelace"`;

/** `ticketscan privacy`: forgets guests. */
export function command(io: CliIo): Command {
  return new Command('privacy')
    .description('Erase the names of guests, and remove what is kept no longer.')
    .addHelpText('after', EXAMPLES)
    .addCommand(eraseCommand(io))
    .addCommand(cleanCommand(io))
    .addCommand(applyCommand(io));
}
