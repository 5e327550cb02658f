import { type Command, Option } from 'commander';
import { ENCODINGS, type Encoding } from '../lists/read-text.ts';

/** How a list is read, as it was given. */
export interface ListReadOptions {
  readonly columns?: string;
  readonly encoding: Encoding;
}

export function addListOptions(command: Command): Command {
  return command
    .option('--columns <pairs>', 'headings of columns, such as firstName=Vorname,lastName=Name')
    .addOption(
      new Option('--encoding <name>', 'encoding of a CSV list; latin1 is Windows-1252')
        .choices(ENCODINGS)
        .default('utf-8'),
    );
}
