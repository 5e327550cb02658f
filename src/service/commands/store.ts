import { Command } from 'commander';
import type { CliIo } from '../../terminal/io.ts';
import { backupCommand } from './store/backup-command.ts';
import { copyCommand } from './store/copy-command.ts';
import { infoCommand } from './store/info-command.ts';
import { migrateCommand } from './store/migrate-command.ts';
import { restoreCommand } from './store/restore-command.ts';

const EXAMPLES = `
Examples:
  ticketscan store info
  ticketscan store backup /backup/gate.db
  ticketscan store restore /backup/gate.db
  ticketscan store copy sqlite:./ticketscan.db postgres://gate@db.example/gate
  ticketscan store migrate
`;

/** `ticketscan store`: what a store is, and how to move and keep it. */
export function command(io: CliIo): Command {
  return new Command('store')
    .description('Describe, copy, back up, restore and migrate stores.')
    .addHelpText('after', EXAMPLES)
    .addCommand(infoCommand(io))
    .addCommand(copyCommand(io))
    .addCommand(backupCommand(io))
    .addCommand(restoreCommand(io))
    .addCommand(migrateCommand(io));
}
