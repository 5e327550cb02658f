import { statusOf } from '../../kit/http1.ts';
import { counted, sanitizeForTerminal } from '../../kit/text.ts';
import type { CliIo } from '../../terminal/io.ts';
import type { Replayed } from '../replay/replay.ts';
import { exchangeLine } from './exchange-line.ts';

/** Tells how each answer compares with the recorded one. */
export class ReplayOutput {
  readonly #io: CliIo;
  readonly #json: boolean;
  readonly #skipped: number;
  #same = 0;
  #different = 0;

  /** @param skipped exchanges that could not be sent, for the summary */
  constructor(io: CliIo, json: boolean, skipped: number) {
    this.#io = io;
    this.#json = json;
    this.#skipped = skipped;
  }

  tell({ exchange, answer, differences }: Replayed): void {
    const { number, model, method, path } = exchangeLine(exchange);
    const status = 'failure' in answer ? null : statusOf(answer.head);
    if (differences.length === 0) this.#same += 1;
    else this.#different += 1;
    if (this.#json) {
      const same = differences.length === 0;
      this.#io.out(
        JSON.stringify({
          event: 'replayed',
          number,
          model,
          method,
          path,
          status,
          same,
          differences,
        }),
      );
      return;
    }
    if (differences.length === 0) return;
    this.#io.out(sanitizeForTerminal(`${String(number).padStart(4)}  ${model}  ${method} ${path}`));
    for (const { what, recorded, now } of differences) {
      this.#io.out(
        sanitizeForTerminal(`      ${what}: ${recorded ?? 'nothing'} → ${now ?? 'nothing'}`),
      );
    }
  }

  /** @returns true when every answer is as recorded */
  end(wanted: number): boolean {
    const [same, different, skipped] = [this.#same, this.#different, this.#skipped];
    const stopped = wanted - same - different;
    if (this.#json) {
      this.#io.out(JSON.stringify({ event: 'summary', same, different, skipped, stopped }));
    } else {
      const left = skipped === 0 ? '' : `, ${skipped} left out (incomplete)`;
      const rest = stopped === 0 ? '' : `, ${stopped} not sent`;
      this.#io.out(`${counted(same, 'answer')} as recorded, ${different} different${left}${rest}.`);
    }
    return different === 0 && stopped === 0;
  }
}
