import { existsSync } from 'node:fs';
import { Command } from 'commander';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import type { CliIo } from '../../terminal/io.ts';
import { writeForOwner } from '../../terminal/write-for-owner.ts';
import { sampleTargetFile } from '../index.ts';

/** `ticketscan check init`: a commented target file to fill in; on stdout without `--out`. */
export function initCommand(io: CliIo): Command {
  return new Command('init')
    .description('Write a commented target file to fill in.')
    .argument('[base-url]', 'the deployment that it describes')
    .option('--out <file>', 'where to; never over a file that is there')
    .action((baseUrl: string | undefined, { out }: { out?: string }) => {
      const text = sampleTargetFile(baseUrl);
      if (out === undefined) {
        io.stdout.write(text);
        return;
      }
      if (existsSync(out)) {
        throw new TicketscanError('usage', `${out} exists already and is left as it is.`);
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
    throw new TicketscanError('usage', `${path} cannot be written: ${messageOf(error)}.`);
  }
}
