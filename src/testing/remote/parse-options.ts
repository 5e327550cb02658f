import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';

/**
 * What was asked for, checked: JavaScript callers and HTTP clients alike may send anything.
 * @throws TicketscanError `usage`, naming the place
 */
export function parseOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(options);
  if (parsed.success) return parsed.data;
  throw new TicketscanError('usage', z.prettifyError(parsed.error).replaceAll('✖ ', ''));
}
