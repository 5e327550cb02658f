import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { TicketscanError } from '../../core/errors.ts';
import { fileFailure } from '../../kit/failures.ts';
import { writeForOwner } from '../../kit/files.ts';
import type { CliIo } from '../../terminal/io.ts';
import { sampleTargetFile } from '../index.ts';

/** `ticketscan check init`: a commented target file to fill in; on stdout without `--out`. */
export function initCommand(io: CliIo): Command {
  return new Command('init')
    .description('Write a commented target file to fill in.')
    .argument('[base-url]', 'base address of the deployment')
    .option('--out <file>', 'file to write; an existing file is never overwritten')
    .action((baseUrl: string | undefined, { out }: { out?: string }) => {
      const text = sampleTargetFile(baseUrl);
      if (out === undefined) {
        io.stdout.write(text);
        return;
      }
      if (existsSync(out)) {
        throw new TicketscanError('usage', `${out} already exists and was not changed.`);
      }
      write(out, text);
      io.out(`Wrote ${out}. Fill it in, then: ticketscan check --target ${out}`);
    });
}

/** Readable for its owner alone: it will hold keys. */
function write(path: string, text: string): void {
  try {
    writeForOwner(path, text, 'wx');
  } catch (error) {
    throw new TicketscanError('usage', `${path} cannot be written: ${fileFailure(error)}.`);
  }
}
