import {
  Command,
  type CommandUnknownOpts,
  type InferArgument,
  type OptionValues,
} from '@commander-js/extra-typings';
import type { AnswerOf, InputOf, Operation } from '../operations/operation.ts';
import type { CliIo } from '../terminal/io.ts';
import { addSettings } from '../terminal/options.ts';
import { confirm } from '../terminal/prompts.ts';
import { showResult } from '../terminal/results.ts';
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
  /** The command creates a store that does not exist yet. */
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

/** What the commands on one kind of record share. */
interface RecordKindOfCommands<Found> {
  /** The argument that names the record, with its help. */
  readonly argument: readonly [string, string];
  readonly find: (access: DataAccess, given: string, io: CliIo) => Promise<Found>;
  readonly settings?: NonNullable<DataCommand<string, OptionValues>['settings']>;
  /** What `--json` prints: its help, and the JSON of a record. */
  readonly json?: string;
  readonly value?: (record: Found) => unknown;
}

/** A command that is one operation on the record that its argument names. */
interface RecordCommand<Found, Op extends Operation, Given extends OptionValues>
  extends Pick<DataCommand<string, Given>, 'name' | 'summary' | 'options' | 'json'> {
  readonly operation: Op;
  /** What goes into the operation besides the id of the record. */
  readonly input?: (options: Given & CommonOptions, found: Found) => Omit<InputOf<Op>, 'id'>;
  /** What happens, as a sentence: asked on a terminal unless `--yes` is given. */
  readonly confirm?: (found: Found) => string;
  readonly text: (
    answer: AnswerOf<Op>,
    found: Found,
    access: DataAccess,
  ) => string | Promise<string>;
  /** The JSON of the result, where that is no record of the kind. */
  readonly value?: (answer: AnswerOf<Op>, found: Found) => unknown;
  /** What is done when the result was shown. */
  readonly after?: (answer: AnswerOf<Op>, options: CommonOptions) => void;
}

/** Makes commands on records of one kind: the record is found, the question asked, the operation called, its result shown. */
export function commandsOn<Found extends { readonly id: string }>({
  find,
  value: jsonOf,
  ...shared
}: RecordKindOfCommands<Found>) {
  // biome-ignore lint/complexity/noBannedTypes: no options
  return <Op extends Operation, Given extends OptionValues = {}>(
    io: CliIo,
    {
      operation,
      input,
      confirm: consequenceOf,
      text,
      value = (answer) => jsonOf?.(answer as Found),
      after,
      ...declared
    }: RecordCommand<Found, Op, Given>,
  ) =>
    dataCommand(io, {
      ...shared,
      ...declared,
      ...(consequenceOf && { yes: true as const }),
      run: async (access, options, given) => {
        const found = await find(access, given, io);
        const consequence = consequenceOf?.(found);
        const asked = { ...options, needsYes: false };
        if (consequence !== undefined && !(await confirm(io, { ...asked, consequence }))) return;
        const whole = { id: found.id, ...input?.(options, found) } as InputOf<Op>;
        const answer = await access.call(operation, whole);
        const shown = options.json ? value(answer, found) : undefined;
        showResult(io, options, shown, await text(answer, found, access));
        after?.(answer, options);
      },
    });
}
