import { appendFileSync } from 'node:fs';
import type { AnswerLine, InvokeLine, RecordLine } from '../history/record.ts';

/** Milliseconds of the machine's monotonic clock, which every process on it shares. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Writes down what clients asked and heard, in the form that the history checker reads. */
export class Recorder {
  readonly lines: RecordLine[] = [];
  #lastId = 0;

  add(line: RecordLine): void {
    this.lines.push(line);
  }

  /** Writes down what the servers' clock says. @param aheadMs of this machine's clock */
  clock(aheadMs: number): void {
    this.add({ type: 'clock', at: monotonicMs(), wall: Date.now() + aheadMs });
  }

  /** Records a request before it leaves. Returns its id. */
  invoke(asked: Omit<InvokeLine, 'type' | 'id' | 'at'>): number {
    this.#lastId += 1;
    this.add({ type: 'invoke', id: this.#lastId, at: monotonicMs(), ...asked });
    return this.#lastId;
  }

  answer(id: number, answer: Omit<AnswerLine, 'id' | 'at'>): void {
    this.add({ ...answer, id, at: monotonicMs() });
  }

  unknown(id: number, why: string): void {
    this.add({ type: 'unknown', id, at: monotonicMs(), why });
  }

  /** Keeps the record for a look at it afterwards. */
  save(path: string): void {
    for (let from = 0; from < this.lines.length; from += 10_000) {
      const chunk = this.lines.slice(from, from + 10_000);
      appendFileSync(path, chunk.map((line) => `${JSON.stringify(line)}\n`).join(''));
    }
  }
}
