import { TicketscanError } from '../../core/errors.ts';

/** All tickets of something, in place of named ones. */
interface Many {
  readonly event?: string | undefined;
  readonly batch?: string | undefined;
  readonly reference?: string | undefined;
}

/** @throws TicketscanError `usage` */
export function refuseMany({ event, batch, reference }: Many): void {
  if ([event, batch, reference].every((one) => one === undefined)) return;
  throw new TicketscanError('usage', 'Give either ids, or an event, a batch or a reference.');
}

/** @throws TicketscanError `usage` unless one of them is given, or an event with a reference */
export function refuseSeveral({ event, batch, reference }: Many): void {
  const isOfBatch = batch !== undefined;
  const isOther = event !== undefined || reference !== undefined;
  if (isOfBatch !== isOther) return;
  const which = isOfBatch
    ? 'a batch, or an event, a reference or both'
    : 'ids, an event, a batch or a reference';
  throw new TicketscanError('usage', `Which tickets? Give ${which}.`);
}
