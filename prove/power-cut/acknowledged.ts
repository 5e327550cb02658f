import { type History, historyFrom, type Operation, type RecordLine } from '../history/record.ts';
import { doneMark } from './recording.ts';

/**
 * Follows in a trace which requests had been answered at a moment. An answer counts from the system call that sends it,
 * which is before any client has it: a stricter moment than the clients' own record knows.
 */
export class Acknowledged {
  readonly #history: History;
  readonly #byUse = new Map<string, Operation[]>();
  readonly #byMark = new Map<string, Operation>();
  readonly #told = new Set<number>();

  constructor(lines: readonly RecordLine[]) {
    this.#history = historyFrom(lines);
    for (const operation of this.#history.operations) {
      if (operation.outcome !== 'ok') continue;
      const { action, ticket, usesConsumed, id } = operation;
      if (action === 'consume') {
        const name = `${ticket} ${usesConsumed}`;
        this.#byUse.set(name, [...(this.#byUse.get(name) ?? []), operation]);
      } else if (action !== 'validate') this.#byMark.set(doneMark(id), operation);
    }
  }

  get count(): number {
    return this.#told.size;
  }

  /** Bytes have left the program. */
  tell(data: Buffer): void {
    const text = data.toString('latin1');
    if (text.includes('"status":"consumed"')) {
      const ticket = /"ticketId":"([^"]+)"/.exec(text)?.[1];
      const count = /"usesConsumed":(\d+)/.exec(text)?.[1];
      // Each of several requests of one use has an answer of its own.
      const asked = this.#byUse.get(`${ticket} ${count}`) ?? [];
      const next = asked.find(({ id }) => !this.#told.has(id));
      if (next) this.#told.add(next.id);
    } else if (text.startsWith('ticketscan-change-')) {
      const operation = this.#byMark.get(text.trim());
      if (operation) this.#told.add(operation.id);
    }
  }

  /** The history as it stands now: what was told is certain, everything else may have happened or not. */
  history(): History {
    const operations = this.#history.operations.flatMap((operation): Operation[] => {
      if (this.#told.has(operation.id)) return [operation];
      const { id, key, ticket, retry, start, outcome } = operation;
      // A refused request registered no use, but may have been counted, as a look may.
      const action = outcome === 'fail' ? 'validate' : operation.action;
      const asked = {
        id,
        action,
        start,
        ...(key && { key }),
        ...(ticket && { ticket }),
        ...(retry && { retry }),
      };
      return [{ ...asked, end: Number.POSITIVE_INFINITY, outcome: 'unknown' }];
    });
    return { ...this.#history, operations };
  }
}
