import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { TicketscanError } from '../../../core/errors.ts';
import { TELLABLE } from '../../device/subject-observer.ts';
import { isRecord, parsedJson } from '../../facts/json.ts';
import {
  type Reaction,
  type Subject,
  type SubjectSetup,
  type Tellable,
  UnreachableError,
} from '../../index.ts';
import { eachLine, limited } from './program-lines.ts';

/** How long one presentation may take in a program that tells when it is done: it may wait and try again. */
const DONE_MS_MAX = 30_000;
const END_MS_MAX = 2000;
/** How long a program may take until its first line. One that prints nothing by itself gets this time to start. */
const START_MS_MAX = 10_000;

/** The exit codes of a shell that could not start a program, and the rest of the sentence. */
const NOT_STARTED = new Map<number | null, (command: string) => string>([
  [126, (command) => `cannot be executed: ${command}. Check its permissions.`],
  [127, (command) => `was not found: ${command}. Check its name and its path.`],
]);

export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long after an answer a reaction may take, for programs that do not tell when a presentation is over. */
  readonly reactionMs: number;
  /** The path of a file with the certificate to trust, where the session uses HTTPS. */
  readonly caFile: string | undefined;
  /** What the program writes on stderr, and lines that are no reactions. */
  readonly onMessage: (line: string) => void;
}

/** A program that is judged: it reads lines of JSON on stdin and tells on stdout what happens. */
export class RunSubject implements Subject {
  readonly #command: string;
  readonly #options: RunOptions;
  #child: ChildProcess | undefined;
  #ended: string | undefined;
  #settleMs = 0;
  #tells: readonly Tellable[] = TELLABLE;
  /** Whether it tells when it is done: unknown until its first presentation. */
  #tellsDone: boolean | undefined;
  #wake = (): void => {};
  #awake = (): void => {};

  constructor(command: string, options: RunOptions) {
    this.#command = command;
    this.#options = options;
  }

  get tells(): readonly Tellable[] {
    return this.#tells;
  }

  get tellsDone(): boolean {
    return this.#tellsDone !== false;
  }

  async start(setup: SubjectSetup, tell: (reaction: Reaction) => void): Promise<void> {
    const { env, caFile, onMessage, reactionMs } = this.#options;
    this.#settleMs = setup.waitTimeMs + reactionMs;
    const child = spawn(this.#command, {
      shell: true,
      detached: process.platform !== 'win32',
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...env,
        TICKETSCAN_URL: setup.baseUrl,
        TICKETSCAN_KEY: setup.key,
        TICKETSCAN_CARD_URL: setup.cardUrl,
        TICKETSCAN_HEART_URL: setup.heartUrl,
        ...(setup.deviceUrl === undefined ? {} : { TICKETSCAN_DEVICE_URL: setup.deviceUrl }),
        ...(caFile === undefined ? {} : { NODE_EXTRA_CA_CERTS: caFile, TICKETSCAN_CA: caFile }),
      },
    });
    this.#child = child;
    // A program that ended cannot read what is still written to it.
    child.stdin.on('error', () => {});
    const say = limited((line: string) => onMessage(line.replaceAll(setup.key, '$KEY')));
    eachLine(child.stderr, say);
    eachLine(child.stdout, (line) => this.#read(line, tell, say));
    child.once('error', (error) => this.#end(error.message));
    child.once('exit', (code, signal) =>
      this.#end(signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`),
    );
    const started = new Promise<void>((resolve) => {
      this.#awake = resolve;
    });
    await Promise.race([started, wait(START_MS_MAX, undefined, { ref: false })]);
    const why = NOT_STARTED.get(child.exitCode);
    if (why !== undefined)
      throw new TicketscanError('usage', `The program of --run ${why(this.#command)}`);
    this.#checkAlive();
  }

  async present(code: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#wake = () => resolve(true);
    this.#send({ present: code });
    if (this.#tellsDone === false) return;
    const msMax = this.#tellsDone === undefined ? this.#settleMs : DONE_MS_MAX;
    const timer = setTimeout(() => resolve(false), msMax).unref();
    const isDone = await promise;
    clearTimeout(timer);
    this.#checkAlive();
    this.#tellsDone ??= isDone;
  }

  async power(on: boolean): Promise<void> {
    this.#send({ power: on ? 'on' : 'off' });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (!child || this.#ended !== undefined) return;
    child.stdin?.end();
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await Promise.race([ended, wait(END_MS_MAX, undefined, { ref: false })]);
    if (this.#ended === undefined) killGroup(child);
  }

  #send(line: object): void {
    this.#checkAlive();
    this.#child?.stdin?.write(`${JSON.stringify(line)}\n`);
  }

  #end(why: string): void {
    this.#ended ??= why;
    this.#wake();
    this.#awake();
  }

  #checkAlive(): void {
    if (this.#ended === undefined) return;
    throw new UnreachableError(
      `The program of --run does not run any more: ${this.#ended}. Run it in a shell to see why: ${this.#command}`,
    );
  }

  #read(line: string, tell: (reaction: Reaction) => void, message: (line: string) => void): void {
    this.#awake();
    const json = parsedJson(line);
    const fields = isRecord(json) ? json : undefined;
    const reaction = fields && reactionIn(fields);
    if (reaction) tell(reaction);
    else if (fields?.['done'] === true) this.#wake();
    else if (Array.isArray(fields?.['tells'])) {
      const told = fields['tells'];
      this.#tells = TELLABLE.filter((one) => told.includes(one));
    } else message(`not a reaction: ${line}`);
  }
}

function reactionIn(fields: Readonly<Record<string, unknown>>): Reaction | undefined {
  const { door, light, online, display, relay } = fields;
  if (door === 'open' || door === 'closed')
    return typeof relay === 'string' || typeof relay === 'number' ? { door, relay } : { door };
  if (light === 'red' || light === 'green') return { light };
  if (typeof online === 'boolean') return { online };
  if (typeof display !== 'object' || display === null) return undefined;
  const { name, note } = display as Record<string, unknown>;
  return {
    display: {
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof note === 'string' ? { note } : {}),
    },
  };
}

/** The shell and what it started. */
function killGroup(child: ChildProcess): void {
  try {
    if (child.pid === undefined || process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // it has just ended
  }
}
