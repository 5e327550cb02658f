import {
  Command,
  type CommandUnknownOpts,
  type InferArgument,
  type OptionValues,
} from '@commander-js/extra-typings';
import type { CliIo } from '../terminal/io.ts';
import { addSettings } from '../terminal/options.ts';
import { DATA_SETTINGS, type DataAccess, withData, withNewData } from './data-access.ts';

/** Options that many of these commands have. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly yes?: boolean;
}

/** A command that works on the data of a store or a server. Its options and its argument have the types that their declarations say. */
interface DataCommand<Usage extends string, Given extends OptionValues> {
  readonly name: string;
  readonly summary: string;
  /** Its argument with its help, such as `['<event>', 'its id or name']`; `<ticket...>` is a list. */
  readonly argument?: readonly [Usage, string];
  readonly options?: (command: Command) => Command<[], Given>;
  /** What `--json` prints; the option is missing where this is. */
  readonly json?: string;
  /** The help of `--yes`; true for what is asked on a terminal only. */
  readonly yes?: string | true;
  readonly settings?: readonly Parameters<typeof addSettings>[1][number][];
  readonly help?: string;
  /** Makes the store where there is none yet. */
  readonly mayMakeStore?: true;
  /** Looks at the options before anything is opened. @throws TicketscanError `usage` */
  readonly check?: (options: Given & CommonOptions, argument: InferArgument<Usage>) => void;
  readonly run: (
    access: DataAccess,
    options: Given & CommonOptions,
    argument: InferArgument<Usage>,
  ) => Promise<void>;
}

/** Makes the command with the options of every such command: where the data is, `--json`, `--yes`. */
export function dataCommand<
  const Usage extends string = '<none>',
  // biome-ignore lint/complexity/noBannedTypes: no options
  Given extends OptionValues = {},
>(
  io: CliIo,
  {
    name,
    summary,
    argument,
    options,
    json,
    yes,
    settings = [],
    help,
    ...rest
  }: DataCommand<Usage, Given>,
): CommandUnknownOpts {
  const command: CommandUnknownOpts = new Command(name).description(summary);
  if (argument) command.argument(...argument);
  options?.(command as Command);
  if (yes) command.option('--yes', yes === true ? 'do not ask on a terminal' : yes);
  if (json !== undefined) command.option('--json', json);
  if (help !== undefined) command.addHelpText('after', help);
  command.action(async (...given: unknown[]) => {
    const chosen = given.at(-2) as Given & CommonOptions;
    const value = (argument ? given[0] : '') as InferArgument<Usage>;
    rest.check?.(chosen, value);
    const open = rest.mayMakeStore ? withNewData : withData;
    await open(io, chosen, (access) => rest.run(access, chosen, value));
  });
  return addSettings(command, [...DATA_SETTINGS, ...settings]);
}
