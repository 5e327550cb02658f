import {
  Command,
  type CommandUnknownOpts,
  type InferArgument,
  type OptionValues,
} from '@commander-js/extra-typings';
import type { SettingName } from '../config/settings.ts';
import { TicketscanError } from '../core/errors.ts';
import { refusedAddress, withoutPasswords, withoutSecrets } from '../kit/secrets.ts';
import { shortened } from '../kit/text.ts';
import type { CliIo } from './io.ts';
import { type AnyCommand, addSettings } from './options.ts';

/** Options that many commands have. */
export type CommonOptions = { readonly json?: boolean; readonly yes?: boolean };

// biome-ignore lint/complexity/noBannedTypes: no options
export type NoOptions = {};

/** The options that a function adds to a command, with their types: `OptionsOf<typeof addListOptions>`. */
export type OptionsOf<Build extends (...given: never) => { opts(): unknown }> = ReturnType<
  ReturnType<Build>['opts']
> &
  CommonOptions;

/**
 * Adds to a command with options of its own those that several commands have. The types of both are put together when each is known:
 * a chain of inferences over options that are not known yet takes the compiler seconds.
 */
export function withOptions<Before extends OptionValues, Added extends OptionValues>(
  command: Command<[], Before>,
  add: (command: Command) => Command<[], Added>,
): Command<[], Before & Added> {
  return add(command as unknown as Command) as unknown as Command<[], Before & Added>;
}

/** Adds a subcommand to a command that works by itself too. */
export function withSubcommand(
  command: CommandUnknownOpts,
  subcommand: CommandUnknownOpts,
): CommandUnknownOpts {
  return (
    command
      // Else the command would take the options behind the subcommand for its own.
      .enablePositionalOptions()
      .hook('preSubcommand', refuseOptionsInFront)
      .addCommand(subcommand)
  );
}

/**
 * `log --store A prune` would prune another store than A: options before `prune` would bind to `log` and be ignored.
 * @throws TicketscanError `usage`
 */
function refuseOptionsInFront(command: CommandUnknownOpts, wanted: CommandUnknownOpts): void {
  const given = command.options.find(
    (option) => command.getOptionValueSource(option.attributeName()) === 'cli',
  );
  if (!given?.long) return;
  throw new TicketscanError(
    'usage',
    `${given.long} comes before "${wanted.name()}" and would be ignored. Put options after it: ticketscan ${command.name()} ${wanted.name()} --help`,
  );
}

/** What a command is. Its options and its argument have the types that their declarations say. */
export interface CommandFace<Usage extends string, Given extends OptionValues> {
  readonly name: string;
  readonly summary: string;
  /** Its argument with its help, such as `['<event>', 'its id or name']`; `<ticket...>` is a list. */
  readonly argument?: readonly [Usage, string];
  readonly options?: (command: Command) => Command<[], Given>;
  /** What `--json` prints; the option is missing where this is. */
  readonly json?: string;
  /** The help of `--yes`; true for what is asked on a terminal only. */
  readonly yes?: string | true;
  readonly settings?: readonly SettingName[];
  readonly help?: string;
  /** True when the command needs at least one of its own options. */
  readonly mustChange?: boolean;
  /** Looks at the options before anything is opened. @throws TicketscanError `usage` */
  readonly check?: (options: Given & CommonOptions, argument: InferArgument<Usage>) => void;
}

/** What a command does. @param Context what it works with */
export type Run<Context, Usage extends string, Given extends OptionValues> = (
  context: Context,
  options: Given & CommonOptions,
  argument: InferArgument<Usage>,
) => unknown;

/** Makes a command that works with the terminal and its settings alone. */
export function plainCommand<
  const Usage extends string = '<none>',
  Given extends OptionValues = NoOptions,
>(
  face: CommandFace<Usage, Given> & { readonly run: Run<CliIo, Usage, Given> },
): (io: CliIo) => CommandUnknownOpts {
  const { argument, settings, check, run } = face;
  return (io) => {
    const { command, changes } = declared(face);
    command.action(async (...given: unknown[]) => {
      const chosen = given.at(-2) as Given & CommonOptions;
      const value = (argument ? given[0] : '') as InferArgument<Usage>;
      requireOne(changes, chosen);
      try {
        check?.(chosen, value);
        await run(io, chosen, value);
      } catch (error) {
        throw withItsOption(error, chosen);
      }
    });
    return settings ? addSettings(command, settings) : command;
  };
}

/** Which option has the value that a rule refuses, by the reason of the refusal: the page has a field for each. */
const OPTION_OF_REASON: Readonly<Record<string, string>> = {
  name_invalid: 'name',
  account_name_spaces: 'name',
  account_name_invisible: 'name',
  webhook_url: 'endpoint',
  webhook_url_parts: 'endpoint',
  webhook_events: 'events',
  logo_not_png: 'logo',
  logo_too_large: 'logo',
  logo_damaged: 'logo',
  no_logo: 'logo',
  own_lines: 'line',
  no_event_chosen: 'events',
  expiry_past: 'expires',
  uses_fixed: 'uses',
  uses_range: 'uses',
  undo_reason: 'reason',
};

/** The failure, with the option and its value in front where a rule refuses them without naming either. */
function withItsOption(error: unknown, options: Readonly<Record<string, unknown>>): unknown {
  if (!(error instanceof TicketscanError) || error.reason === undefined) return error;
  const { code, message, reason, values } = error;
  const name = OPTION_OF_REASON[reason];
  const value = name === undefined ? undefined : options[name];
  if (name === undefined || value === undefined || message.includes(`--${name}`)) return error;
  if (message.includes(`"${value}"`)) return error;
  const text = withoutSecrets(String(value));
  const isAddress = name === 'endpoint';
  const shown = shortened(isAddress ? refusedAddress(text) : withoutPasswords(text));
  const told = `--${name} "${shown}": ${message}`;
  return new TicketscanError(code, told, { cause: error, reason, values });
}

/** @returns `changes`: the options of which one must be given */
function declared<Usage extends string, Given extends OptionValues>(
  face: CommandFace<Usage, Given>,
) {
  const { name, summary, argument, options, json, yes, help, mustChange } = face;
  const command: CommandUnknownOpts = new Command(name).description(summary);
  if (argument) command.argument(...argument);
  options?.(command as Command);
  const changes = mustChange ? [...command.options] : [];
  if (yes) command.option('--yes', yes === true ? 'do not ask on a terminal' : yes);
  if (json !== undefined) command.option('--json', json);
  if (help !== undefined) command.addHelpText('after', help);
  return { command, changes };
}

/** Options that change nothing: they say how others are read, or what is changed. */
const CHOOSING = new Set(['--time-zone', '--with-reference', '--event']);

function requireOne(
  options: CommandUnknownOpts['options'],
  given: Readonly<Record<string, unknown>>,
): void {
  const changing = options.filter(({ long }) => !CHOOSING.has(long ?? ''));
  if (
    changing.length === 0 ||
    changing.some((option) => given[option.attributeName()] !== undefined)
  )
    return;
  const flags = changing.map(({ long }) => long);
  const others = flags.slice(0, -1).join(', ');
  throw new TicketscanError('usage', `Nothing to change: add ${others} or ${flags.at(-1)}.`);
}

/** A command that has others below it. */
export function commandGroup(
  io: CliIo,
  name: string,
  {
    summary,
    help,
    commands,
  }: Readonly<Record<'summary' | 'help', string>> & {
    readonly commands: readonly ((io: CliIo) => AnyCommand)[];
  },
): CommandUnknownOpts {
  const group = new Command(name).description(summary).addHelpText('after', help);
  for (const make of commands) group.addCommand(make(io) as CommandUnknownOpts);
  return group;
}
