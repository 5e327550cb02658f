import type { Readable } from 'node:stream';

/** No reaction is as long; the rest of such a line is dropped. */
const LINE_CHARACTERS_MAX = 64 * 1024;
const MESSAGES_MAX = 1000;

/** Calls `onLine` with each line, cut to what is kept of one: a program that never ends a line must not fill the memory. */
export function eachLine(stream: Readable, onLine: (line: string) => void): void {
  let begun = '';
  stream.setEncoding('utf8').on('data', (text: string) => {
    const [first = '', ...others] = text.split('\n');
    let line = (begun + first).slice(0, LINE_CHARACTERS_MAX);
    for (const next of others) {
      onLine(line.replace(/\r$/, ''));
      line = next.slice(0, LINE_CHARACTERS_MAX);
    }
    begun = line;
  });
  stream.once('end', () => begun !== '' && onLine(begun));
}

/** What a program that prints without end would say is left out, so that signals and reactions are heard. */
export function limited(say: (line: string) => void): (line: string) => void {
  let count = 0;
  return (line) => {
    count += 1;
    if (count <= MESSAGES_MAX) say(line);
    else if (count === MESSAGES_MAX + 1)
      say(`(more than ${MESSAGES_MAX} lines: the rest is left out)`);
  };
}
