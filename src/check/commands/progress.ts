import { counted } from '../../kit/text.ts';
import { type CliIo, note } from '../../terminal/io.ts';
import type { Budget } from '../index.ts';

const LINE_CHARACTERS_MAX = 78;
const KIND_NAMES: Partial<Record<Budget['byKind'][number]['kind'], string>> = {
  multi: 'card',
  permanent: 'permanent card',
  hundred: 'card of 100',
};

/** Says what a run may spend, before it sends anything. */
export function announceBudget(budget: Budget, cases: number, consent: boolean, io: CliIo): void {
  const parts = budget.byKind.map(({ kind, tickets, uses }, index) => {
    const name = KIND_NAMES[kind] ?? `${kind} ticket`;
    const many = name.replace(/^card|card$|ticket$/, '$&s');
    return `${index === 0 ? counted(uses, 'use') : uses} of ${counted(tickets, name, many)}`;
  });
  const spending = !consent
    ? 'No use is taken: --consume was not given.'
    : budget.uses === 0
      ? 'No use will be taken.'
      : `They may take up to ${counted(budget.uses, 'use')}: ${parts.join(', ')}.`;
  note(io, `Cases to run: ${cases}. ${spending}`);
}

/** One line on a terminal that is written over; nothing elsewhere. */
export function counterOf(io: CliIo) {
  let width = 0;
  return {
    show(text: string): void {
      if (!io.stderrIsTty || io.verbosity === 'quiet') return;
      const line = text.slice(0, LINE_CHARACTERS_MAX);
      io.stderr.write(`\r${line.padEnd(width)}`);
      width = line.length;
    },
    end(): void {
      if (width > 0) io.stderr.write(`\r${' '.repeat(width)}\r`);
    },
  };
}
