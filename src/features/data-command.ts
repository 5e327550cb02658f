import type { CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import type { SettingName } from '../config/settings.ts';
import type { AnswerOf, InputOf, Operation } from '../operations/operation.ts';
import {
  type CommandFace,
  type CommonOptions,
  type NoOptions,
  plainCommand,
  type Run,
} from '../terminal/command.ts';
import type { CliIo } from '../terminal/io.ts';
import { confirm } from '../terminal/prompts.ts';
import { showResult } from '../terminal/results.ts';
import {
  DATA_SETTINGS,
  type DataAccess,
  type StoreAccess,
  withData,
  withStore,
} from './data-access.ts';
import { STORE_SETTINGS } from './store/opening.ts';

interface DataCommand<Access, Usage extends string, Given extends OptionValues>
  extends CommandFace<Usage, Given> {
  /** The command creates a store that does not exist yet. */
  readonly mayMakeStore?: boolean;
  readonly run: Run<Access, Usage, Given>;
}

/** Runs `work` on the data that the options name. */
type Reach<Access> = (
  io: CliIo,
  options: Readonly<Record<string, unknown>>,
  work: (access: Access) => Promise<unknown>,
  opening: { readonly mayMake: boolean },
) => Promise<unknown>;

/** Makes commands that work on data. @param reached the settings that say where the data is */
function commandsWith<Access>(reach: Reach<Access>, reached: readonly SettingName[]) {
  return <const Usage extends string = '<none>', Given extends OptionValues = NoOptions>({
    settings = [],
    mayMakeStore = false,
    run,
    ...face
  }: DataCommand<Access, Usage, Given>): ((io: CliIo) => CommandUnknownOpts) =>
    plainCommand({
      ...face,
      settings: [...reached, ...settings],
      run: (io, options, argument) =>
        reach(io, options, async (access) => run(access, options, argument), {
          mayMake: mayMakeStore,
        }),
    });
}

/** Makes a command that works on the data of a store or a server. */
export const dataCommand = commandsWith<DataAccess>(withData, DATA_SETTINGS);

/** Makes a command that works on a store that is open here, never at a server. */
export const storeCommand = commandsWith<StoreAccess>(withStore, STORE_SETTINGS);

/** The parts that the commands on one kind of record share. */
interface RecordKindOfCommands<Access, Found>
  extends Pick<DataCommand<Access, string, OptionValues>, 'settings' | 'json'> {
  /** The argument that names the record, with its help. */
  readonly argument: readonly [string, string];
  readonly find: (access: Access, given: string) => Promise<Found>;
  /** The JSON of a record. */
  readonly value?: (record: Found) => unknown;
}

/** A command that is one operation on the record that its argument names. */
interface RecordCommand<Access, Found, Op extends Operation, Given extends OptionValues>
  extends Pick<
    DataCommand<Access, string, Given>,
    'name' | 'summary' | 'options' | 'json' | 'mustChange' | 'check'
  > {
  readonly operation: Op;
  /** The input of the operation besides the id of the record. */
  readonly input?: (
    options: Given & CommonOptions,
    found: Found,
    access: Access,
  ) => Omit<InputOf<Op>, 'id'> | Promise<Omit<InputOf<Op>, 'id'>>;
  /** A sentence that says what will happen. A terminal asks for confirmation unless `--yes` is given. */
  readonly confirm?: (found: Found) => string;
  readonly text: (answer: AnswerOf<Op>, found: Found, access: Access) => string | Promise<string>;
  /** The JSON of the result, if the result is not a record of this kind. */
  readonly value?: (answer: AnswerOf<Op>, found: Found) => unknown;
  /** Is called after the result was shown. */
  readonly after?: (
    answer: AnswerOf<Op>,
    options: CommonOptions,
    access: Access,
  ) => void | Promise<void>;
}

/** Makes commands on records of one kind: the record is found, the question asked, the operation called, its result shown. */
function recordCommandsWith<Access extends DataAccess>(
  make: ReturnType<typeof commandsWith<Access>>,
) {
  return <Found extends { readonly id: string }>({
    find,
    value: jsonOf,
    ...shared
  }: RecordKindOfCommands<Access, Found>) =>
    <Op extends Operation, Given extends OptionValues = NoOptions>({
      operation,
      input,
      confirm: consequenceOf,
      text,
      value = (answer) => jsonOf?.(answer as Found),
      after,
      ...declared
    }: RecordCommand<Access, Found, Op, Given>) =>
      make({
        ...shared,
        ...declared,
        ...(consequenceOf && { yes: true as const }),
        run: async (access, options, given) => {
          const { io, call } = access;
          const found = await find(access, given);
          const consequence = consequenceOf?.(found);
          const asked = { ...options, needsYes: false };
          if (consequence !== undefined && !(await confirm(io, { ...asked, consequence }))) return;
          const others = await input?.(options, found, access);
          const answer = await call(operation, { id: found.id, ...others } as InputOf<Op>);
          const shown = options.json ? value(answer, found) : undefined;
          showResult(io, options, shown, await text(answer, found, access));
          await after?.(answer, options, access);
        },
      });
}

/** Makes commands on records of a store or a server. */
export const commandsOn = recordCommandsWith(dataCommand);

/** Makes commands on records of a store that is open here. */
export const storeCommandsOn = recordCommandsWith(storeCommand);
