import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sessionCodes } from '../../../src/check/device/session-record.ts';
import type { CheckResult } from '../../../src/check/index.ts';
import { Device } from '../../../src/simulate/index.ts';
import { renderQr } from '../../../src/tickets/codes/render-qr.ts';
import { PROGRAM } from '../../support/cli.ts';
import { temporaryFolder } from '../support/files.ts';

const QUESTION = /(Enter when it is set up|press Enter|not seen|without a request)[.:] $/;

/** The program on a terminal of its own (`script` of util-linux). */
class Terminal {
  readonly #child;
  #read = '';

  constructor(args: readonly string[], cwd: string) {
    const line = [process.execPath, PROGRAM, ...args].map((one) => `'${one}'`).join(' ');
    const env = { ...process.env, NO_COLOR: '1' };
    this.#child = spawn('script', ['-qec', line, '/dev/null'], { cwd, env });
    this.#child.stdout.setEncoding('utf8').on('data', (text) => (this.#read += text));
  }

  /** What was shown since the last answer, once a question stands at its end; empty when the program ended. */
  async question(): Promise<string> {
    for (;;) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: the terminal moves its cursor with them
      const shown = this.#read.replaceAll(/\x1b\[[0-9;]*[A-Za-z]/g, '').replaceAll('\r', '');
      if (QUESTION.test(shown)) return shown;
      if (this.#child.exitCode !== null) return '';
      await wait(20);
    }
  }

  answer(text: string): void {
    this.#read = '';
    this.#child.stdin.write(`${text}\r`);
  }

  async end(): Promise<number> {
    if (this.#child.exitCode === null) await once(this.#child, 'close');
    return this.#child.exitCode ?? -1;
  }
}

/** The code of the step, when the terminal shows it as a QR code. */
function codeIn(shown: string, key: string): string {
  const number = Number(/^Code (\d+)\./m.exec(shown)?.[1]);
  const code = sessionCodes(key)[number - 1] ?? '';
  const drawn = renderQr(code, { format: 'text' }).split('\n');
  const lines = shown.split('\n');
  for (const line of drawn.filter((text) => text.trim() !== '')) expect(lines).toContain(line);
  return code;
}

const ANSWERS: readonly (readonly [question: RegExp, answer: string])[] = [
  [/Which relay/, 'i'],
  [/Noch nicht gültig/, 'n'],
  [/Does the display show/, 'y'],
  [/Did a red light or a text/, 'y'],
];

function answerTo(asked: string, betweenAnswers: string[]): string {
  if (asked.includes('without a code?')) return betweenAnswers.shift() ?? '';
  return ANSWERS.find(([question]) => question.test(asked))?.[1] ?? '';
}

/** Does what the terminal says, and answers as somebody who sees everything but one text. */
async function operate(terminal: Terminal, device: Device, key: string): Promise<boolean[]> {
  const opened: boolean[] = [];
  // Nobody looks between the presentations of the first part; in the second a relay clicks.
  const betweenAnswers = ['', 'y'];
  for (let asked = await terminal.question(); asked !== ''; asked = await terminal.question()) {
    if (asked.includes('Present the code')) {
      const outcome = await device.scan(codeIn(asked, key));
      opened.push(outcome?.opened ?? false);
      terminal.answer('');
    } else if (asked.includes('Did the door open?')) {
      expect(asked).toContain('Requests with this code: 1.');
      terminal.answer(opened.at(-1) ? 'y' : 'n');
    } else terminal.answer(answerTo(asked, betweenAnswers));
  }
  return opened;
}

test('a person is told what to type, sees the codes, answers, and skips what nobody saw', async () => {
  const folder = temporaryFolder();
  const only = [
    '4.6/device-opens-on-grant',
    '7.3/device-shows-note',
    '2.4/device-relay-in',
    '2.4/device-long-code',
    '4.6/device-never-opens-by-itself',
  ];
  const args = ['--sheet', 'codes.pdf', '--report', 'report.json', '--only', ...only];
  const terminal = new Terminal(
    ['check', 'device', '--host', '127.0.0.1', '--reaction', '50ms', ...args],
    folder,
  );
  const setUp = await terminal.question();
  const [, baseUrl = '', key = ''] =
    /Card URL +(http:\S+)\/scan\/hw\/consume\?key=(\S+)/.exec(setUp) ?? [];
  expect(setUp).toMatch(/Heart URL +http:\S+\/scan\/hw\/heartbeat\?key=/);
  expect(setUp).toContain('The codes are also in codes.pdf');
  expect(readFileSync(join(folder, 'codes.pdf')).subarray(0, 5).toString()).toBe('%PDF-');
  terminal.answer('');

  await using device = Device.connect(baseUrl, { key, readMs: 0, passMs: 0, antiRepeatMs: 0 });
  const opened = await operate(terminal, device, key);
  expect(await terminal.end()).toBe(1);
  const { cases, notes } = JSON.parse(
    readFileSync(join(folder, 'report.json'), 'utf8'),
  ) as CheckResult;
  expect(Object.fromEntries(cases.map(({ id, outcome }) => [id, outcome]))).toEqual({
    '2.4/device-long-code': 'passed',
    '2.4/device-relay-in': 'passed',
    '4.6/device-never-opens-by-itself': 'failed',
    '4.6/device-opens-on-grant': 'passed',
    '7.3/device-shows-note': 'failed',
  });
  expect(cases.find(({ id }) => id === '4.6/device-never-opens-by-itself')?.observed).toBe(
    'it opened by itself, between card 6 and card 15',
  );
  expect(notes).toContainEqual(
    'Not judged: whether the door opened by itself between card 1 and card 5 (no answer given).',
  );
  expect(opened.filter(Boolean).length).toBe(6);
  expect(opened.length).toBe(15);
});

test('a scene without a request stops and helps, r repeats it, and b takes back the one before', async () => {
  const folder = temporaryFolder();
  const only = ['--only', '7.3/device-shut-on-denial', '2.4/device-shows-name'];
  const terminal = new Terminal(
    ['check', 'device', '--host', '127.0.0.1', '--reaction', '50ms', '--json', ...only],
    folder,
  );
  const [, baseUrl = '', key = ''] =
    /Card URL +(http:\S+)\/scan\/hw\/consume\?key=(\S+)/.exec(await terminal.question()) ?? [];
  const say = async (text: string) => {
    terminal.answer(text);
    return terminal.question();
  };
  const first = codeIn(await say(''), key);
  await fetch(`${baseUrl}/elsewhere`);
  const help = await say('');
  expect(help).toContain(`${baseUrl}/scan/hw/consume?key=${key}`);
  expect(help).toContain('GET /elsewhere');
  const again = await say('r');
  expect(again).toContain('Scene 1 of 5');
  expect(codeIn(again, key)).toBe(first);

  await using device = Device.connect(baseUrl, { key, readMs: 0, passMs: 0, antiRepeatMs: 0 });
  await device.scan(first);
  let asked = await say('');
  while (!asked.includes('Scene 2 of 5')) asked = await say('n');
  expect(await say('b')).toContain('Scene 1 of 5');
  // The wrong answers about the first scene are gone.
  expect(await operate(terminal, device, key)).toEqual([true, false, false, false, false]);
  expect(await terminal.end()).toBe(0);
});
