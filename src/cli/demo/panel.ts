import { Chalk, type ChalkInstance } from 'chalk';
import type { TurnstileState } from './turnstile.ts';

const WIDTH = 34;

/** The device as one sees it: its display, its lamp and its door. */
export function panel(state: TurnstileState, paint: ChalkInstance): string[] {
  const colour = state.open ? paint.green : paint.red;
  const door = state.open
    ? `door OPEN for ${state.openSeconds} s (relay ${state.relay})`
    : 'door stays CLOSED';
  const line = (text: string) => `   ${colour('│')} ${text.padEnd(WIDTH)} ${colour('│')}`;
  return [
    `   ${colour(`┌${'─'.repeat(WIDTH + 2)}┐`)}`,
    ...(state.name === '' ? [] : [line(state.name)]),
    line(state.note),
    `   ${colour(`└${'─'.repeat(WIDTH + 2)}┘`)}`,
    `   ${colour(state.open ? '● green' : '● red  ')}  ${paint.bold(door)}`,
  ];
}

/** Colours where there is a terminal that wants them. */
export function painter(
  stdoutIsTty: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): ChalkInstance {
  const wanted = stdoutIsTty && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return new Chalk({ level: wanted ? 1 : 0 });
}
