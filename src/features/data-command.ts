import type { CommandUnknownOpts, OptionValues } from '@commander-js/extra-typings';
import type { AnswerOf, InputOf, Operation } from '../operations/operation.ts';
import { STORE_SETTINGS } from '../operations/store-access.ts';
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
import { DATA_SETTINGS, type DataAccess, withData, withStoreData } from './data-access.ts';

interface DataCommand<Usage extends string, Given extends OptionValues>
  extends CommandFace<Usage, Given> {
  /** The command creates a store that does not exist yet. */
  readonly mayMakeStore?: boolean;
  /** True if the command works only on an open store, never at a server. */
  readonly onStoreOnly?: boolean;
  readonly run: Run<DataAccess, Usage, Given>;
}

/** Makes a command that works on the data of a store or a server. */
export function dataCommand<
  const Usage extends string = '<none>',
  Given extends OptionValues = NoOptions,
>({
  settings = [],
  mayMakeStore = false,
  onStoreOnly = false,
  run,
  ...face
}: DataCommand<Usage, Given>): (io: CliIo) => CommandUnknownOpts {
  const open = onStoreOnly ? withStoreData : withData;
  return plainCommand({
    ...face,
    settings: [...(onStoreOnly ? STORE_SETTINGS : DATA_SETTINGS), ...settings],
    run: (io, options, argument) =>
      open(io, options, async (access) => run(access, options, argument), mayMakeStore),
  });
}

/** The parts that the commands on one kind of record share. */
interface RecordKindOfCommands<Found>
  extends Pick<DataCommand<string, OptionValues>, 'settings' | 'onStoreOnly' | 'json'> {
  /** The argument that names the record, with its help. */
  readonly argument: readonly [string, string];
  readonly find: (access: DataAccess, given: string) => Promise<Found>;
  /** The JSON of a record. */
  readonly value?: (record: Found) => unknown;
}

/** A command that is one operation on the record that its argument names. */
interface RecordCommand<Found, Op extends Operation, Given extends OptionValues>
  extends Pick<
    DataCommand<string, Given>,
    'name' | 'summary' | 'options' | 'json' | 'mustChange' | 'check'
  > {
  readonly operation: Op;
  /** The input of the operation besides the id of the record. */
  readonly input?: (
    options: Given & CommonOptions,
    found: Found,
    access: DataAccess,
  ) => Omit<InputOf<Op>, 'id'> | Promise<Omit<InputOf<Op>, 'id'>>;
  /** A sentence that says what will happen. A terminal asks for confirmation unless `--yes` is given. */
  readonly confirm?: (found: Found) => string;
  readonly text: (
    answer: AnswerOf<Op>,
    found: Found,
    access: DataAccess,
  ) => string | Promise<string>;
  /** The JSON of the result, if the result is not a record of this kind. */
  readonly value?: (answer: AnswerOf<Op>, found: Found) => unknown;
  /** Is called after the result was shown. */
  readonly after?: (answer: AnswerOf<Op>, options: CommonOptions, io: CliIo) => void;
}

/** Makes commands on records of one kind: the record is found, the question asked, the operation called, its result shown. */
export function commandsOn<Found extends { readonly id: string }>({
  find,
  value: jsonOf,
  ...shared
}: RecordKindOfCommands<Found>) {
  return <Op extends Operation, Given extends OptionValues = NoOptions>({
    operation,
    input,
    confirm: consequenceOf,
    text,
    value = (answer) => jsonOf?.(answer as Found),
    after,
    ...declared
  }: RecordCommand<Found, Op, Given>) =>
    dataCommand({
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
        after?.(answer, options, io);
      },
    });
}
