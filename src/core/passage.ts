import { type Decision, decide, decideExit, type Operation } from './decision.ts';
import {
  type Action,
  type Direction,
  directionOf,
  type ExitRule,
  type ReaderDirections,
} from './direction.ts';
import type { Ticket } from './ticket.ts';

/** A scan as far as its direction goes. */
interface ReadScan {
  readonly operation: Operation;
  readonly reader: string | null;
  readonly now: number;
}

/** The decision about a ticket at a reader, with the direction that is configured for it. */
export function decideAtReader(
  ticket: Ticket | undefined,
  scan: ReadScan,
  key: ReaderDirections,
): Decision & { readonly direction?: Direction } {
  const rule = exitRule(scan, key);
  const decision =
    rule === 'open' ? decideExit(ticket) : decide(ticket, rule ?? scan.operation, scan.now);
  const direction = directionOf(key, scan.reader);
  return direction ? { ...decision, direction } : decision;
}

/** What a granted scan did. */
export function actionTaken(scan: ReadScan, key: ReaderDirections, { status }: Decision): Action {
  if (status === 'consumed') return 'consumed';
  return exitRule(scan, key) === 'open' ? 'opened' : 'validated';
}

/** True at an exit that opens for everybody who came in: the rules about the ticket's state are not asked there. */
export function isOpenExit(
  scan: Pick<ReadScan, 'operation' | 'reader'>,
  key: ReaderDirections,
): boolean {
  return exitRule(scan, key) === 'open';
}

/** What applies to this scan if it is one outwards at the consume endpoint; undefined where it does what it does elsewhere. */
function exitRule(
  { operation, reader }: Pick<ReadScan, 'operation' | 'reader'>,
  key: ReaderDirections,
): ExitRule | undefined {
  if (operation !== 'consume' || directionOf(key, reader) !== 'out') return undefined;
  return key.onExit;
}
