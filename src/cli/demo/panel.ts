import { Chalk, type ChalkInstance } from 'chalk';
import { padded } from '../../kit/display-width.ts';

/** What a device shows and does after an answer. */
export interface PanelState {
  readonly name: string;
  readonly note: string;
  /** The relay that is on; undefined while the door is closed. */
  readonly relay: string | undefined;
}

const WIDTH = 34;

/** Draws the device: its display, its lamp and its door. */
export function panel({ name, note, relay }: PanelState, paint: ChalkInstance): string[] {
  const colour = relay === undefined ? paint.red : paint.green;
  const line = (text: string) => `   ${colour('│')} ${padded(text, WIDTH)} ${colour('│')}`;
  return [
    `   ${colour(`┌${'─'.repeat(WIDTH + 2)}┐`)}`,
    ...(name === '' ? [] : [line(name)]),
    line(note),
    `   ${colour(`└${'─'.repeat(WIDTH + 2)}┘`)}`,
    relay === undefined
      ? `   ${colour('● red  ')}  ${paint.bold('door stays CLOSED')}`
      : `   ${colour('● green')}  ${paint.bold(`door OPEN (relay ${relay})`)}`,
  ];
}

/** Colours if the terminal supports them. */
export function painter(
  stdoutIsTty: boolean,
  environment: Readonly<Record<string, string | undefined>>,
): ChalkInstance {
  const wanted = stdoutIsTty && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  return new Chalk({ level: wanted ? 1 : 0 });
}
