import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TAB = '\t';
/** Bound to: append the command line, as it is, to a file. */
const SHOW = '\u000f';
const DELETE_LINE = '\u0015';
const PROMPT = 'ready> ';
const MS_MAX = 30_000;

/** How each shell begins: with the completion loaded, and a key that shows the command line. */
const SHELLS = {
  bash: {
    file: 'bashrc',
    text: `PS1='${PROMPT}'
source <(ticketscan completion bash)
bind -x '"\\C-o": printf "%s\\n" "$READLINE_LINE" >> lines.bash'
bind 'set bell-style none'
`,
    command: 'bash --rcfile bashrc -i',
  },
  zsh: {
    file: '.zshrc',
    text: `PS1='${PROMPT}'
autoload -Uz compinit; compinit -u -D
source <(ticketscan completion zsh)
show() { print -r -- "$BUFFER" >> lines.zsh }
zle -N show; bindkey '^O' show; bindkey '^U' kill-whole-line
unsetopt beep
`,
    command: 'zsh -i',
  },
} as const;

/** An interactive shell on a terminal of its own, with the keys of a person. */
export class TypingShell implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #lines: string;
  #screen = '';
  #count = 0;

  private constructor(child: ChildProcess, lines: string) {
    this.#child = child;
    this.#lines = lines;
    child.stdout?.on('data', (data) => {
      this.#screen += data;
    });
  }

  /** @param folder its working folder, with `bin/ticketscan` */
  static async start(shell: keyof typeof SHELLS, folder: string): Promise<TypingShell> {
    const { file, text, command } = SHELLS[shell];
    writeFileSync(join(folder, file), text);
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: folder,
      env: {
        ...process.env,
        ZDOTDIR: folder,
        HOME: folder,
        TERM: 'dumb',
        PATH: `${folder}/bin:${process.env['PATH']}`,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    const started = new TypingShell(child, join(folder, `lines.${shell}`));
    await started.#until(() => started.#screen.includes(PROMPT));
    return started;
  }

  /** The command line after these keys and Tab. */
  async completed(keys: string): Promise<string> {
    this.#child.stdin?.write(keys + TAB);
    // bash hands the terminal back while a key's command runs: nothing may be typed ahead.
    this.#child.stdin?.write(SHOW);
    this.#count += 1;
    await this.#until(() => this.#shown().length === this.#count);
    this.#child.stdin?.write(DELETE_LINE);
    return this.#shown().at(-1) ?? '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.#child, 'exit');
    this.#child.stdin?.end(`${DELETE_LINE}exit\r`);
    await ended;
  }

  #shown(): string[] {
    return existsSync(this.#lines)
      ? readFileSync(this.#lines, 'utf8').split('\n').slice(0, -1)
      : [];
  }

  async #until(isTrue: () => boolean): Promise<void> {
    const end = performance.now() + MS_MAX;
    while (!isTrue()) {
      if (performance.now() > end) throw new Error(`the shell does not answer:\n${this.#screen}`);
      await sleep(20);
    }
  }
}
