import { TicketscanError } from '../core/errors.ts';

/**
 * The value that `read` makes of an option's text.
 * @param option as it is typed, such as `--expires`
 * @throws TicketscanError as `read` does, with the option in front of the message
 */
export function forOption<Value>(option: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TicketscanError)) throw error;
    const { code, message, reason, values } = error;
    const explanation = reason === undefined ? {} : { reason, values };
    throw new TicketscanError(code, `${option}: ${message}`, { cause: error, ...explanation });
  }
}
