import { type Argument, type Command, InvalidArgumentError, type Option } from 'commander';
import { didYouMean } from '../kit/nearest.ts';
import { suggestionsFor } from '../terminal/option-values.ts';

/** Adds the nearest choice to the message for a value that is none of the choices, in `command` and all below it. */
export function nameNearestChoices(command: Command): void {
  for (const one of [...command.options, ...command.registeredArguments]) nameNearest(one);
  for (const child of command.commands) nameNearestChoices(child);
}

function nameNearest(target: Option | Argument): void {
  const { parseArg } = target;
  const words = suggestionsFor(target)?.words;
  if (parseArg === undefined || words === undefined) return;
  target.parseArg = <Value>(text: string, previous: Value): Value => {
    try {
      return parseArg(text, previous) as Value;
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new InvalidArgumentError(`${error.message}${didYouMean(text, words)}`);
    }
  };
}
