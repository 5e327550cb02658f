import type { InvokeLine } from '../history/record.ts';
import { type ProgramPlace, run } from './program.ts';
import type { Recorder } from './recorder.ts';

const COMMANDS = {
  cancel: (asked: Change) => ['tickets', 'cancel', asked.ticket ?? ''],
  disable: (asked: Change) => ['keys', 'disable', asked.key ?? ''],
  enable: (asked: Change) => ['keys', 'enable', asked.key ?? ''],
  delete: (asked: Change) => ['keys', 'delete', asked.key ?? ''],
} as const;

type Change = Pick<InvokeLine, 'ticket' | 'key'>;

/** Changes a key or cancels a ticket through the command line, in a process of its own, and writes it down. */
export async function change(
  place: ProgramPlace,
  recorder: Recorder,
  action: keyof typeof COMMANDS,
  asked: Change,
): Promise<void> {
  const id = recorder.invoke({ action, ...asked });
  const { code, err } = await run(place, COMMANDS[action](asked));
  if (code === 0) recorder.answer(id, { type: 'ok', status: 'changed' });
  else recorder.unknown(id, err.slice(0, 200));
}
