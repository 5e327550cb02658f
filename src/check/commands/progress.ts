import { type CliIo, note } from '../../terminal/io.ts';
import type { Budget, CaseResult } from '../index.ts';

/** Says what a run may spend, before it sends anything. */
export function announceBudget(budget: Budget, cases: number, consent: boolean, io: CliIo): void {
  if (!consent) {
    note(io, `Cases to run: ${cases}. No use is taken: --consume was not given.`);
    return;
  }
  if (budget.uses === 0) {
    note(io, `Cases to run: ${cases}. No use will be taken.`);
    return;
  }
  const parts = budget.byKind.map(({ kind, tickets, uses }) => `${uses} of ${tickets} ${kind}`);
  note(
    io,
    `Cases to run: ${cases}. They may take up to ${budget.uses} uses; uses of tickets: ${parts.join(', ')}.`,
  );
}

/** Progress on stderr: a line that is written over on a terminal, failures as they come otherwise. */
export function progressOf(io: CliIo) {
  let width = 0;
  const clear = () => {
    if (width > 0) io.stderr.write(`\r${' '.repeat(width)}\r`);
    width = 0;
  };
  return {
    step(result: CaseResult, done: number, total: number): void {
      if (result.outcome === 'failed' && !result.known) {
        clear();
        note(io, `deviation: ${result.id}`);
      }
      if (!io.stderrIsTty || io.verbosity === 'quiet') return;
      const line = `${done}/${total} ${result.id}`.slice(0, 78);
      io.stderr.write(`\r${line.padEnd(width)}`);
      width = line.length;
    },
    end: clear,
  };
}

/** One line on a terminal that is written over; nothing elsewhere. */
export function counterOf(io: CliIo) {
  let width = 0;
  return {
    show(text: string): void {
      if (!io.stderrIsTty || io.verbosity === 'quiet') return;
      io.stderr.write(`\r${text.padEnd(width)}`);
      width = text.length;
    },
    end(): void {
      if (width > 0) io.stderr.write(`\r${' '.repeat(width)}\r`);
    },
  };
}
