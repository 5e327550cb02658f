import type { Logger } from 'pino';
import { EDGE_REASONS, type EdgeReason } from '../core/outcome-names.ts';
import { refusalAdvice } from '../core/refusals/advice.ts';
import { type RefusalFields, RefusalLog, type RefusedAtEdge } from './refusal-counter.ts';

/** Where something was refused, and what else a line of the log says of it. */
export interface RefusedWhere extends Pick<RefusedAtEdge, 'address'> {
  /** The path without secrets; absent where none is known. */
  readonly endpoint?: string | undefined;
  /** The code of Node's error, or what is wrong with a body. */
  readonly code?: string | undefined;
}

/** Counts and logs what is refused before anybody looks for a key: a line a minute for each reason and address. */
export class EdgeRefusals {
  readonly #log: RefusalLog;
  readonly #count: ((refused: RefusedAtEdge) => void) | undefined;

  constructor(log: Logger, count: ((refused: RefusedAtEdge) => void) | undefined) {
    this.#log = new RefusalLog(log);
    this.#count = count;
  }

  report(reason: EdgeReason, { address, endpoint = '', code }: RefusedWhere): void {
    this.#count?.({ reason, address, endpoint });
    const isConnection = reason.startsWith('tls_') || reason === 'too_many_connections';
    const kind = `a ${isConnection ? 'connection' : 'request'} (${EDGE_REASONS[reason]}) was refused`;
    const fields: RefusalFields = {
      reason,
      address,
      ...(endpoint !== '' && { path: endpoint }),
      ...(code !== undefined && { code }),
      advice: refusalAdvice(reason),
    };
    this.#log.note(kind, fields, { address });
  }

  /** Writes what was counted and not logged yet. */
  flush(): void {
    this.#log.flush();
  }
}
