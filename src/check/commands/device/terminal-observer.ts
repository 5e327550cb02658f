import { type CliIo, Interrupted } from '../../../terminal/io.ts';
import { ask } from '../../../terminal/prompts.ts';
import { renderQr } from '../../../tickets/codes/render-qr.ts';
import { type Light, PlayAgain, type Want } from '../../device/observer.ts';
import type { Observation, Observer, Prompt, Shown, Step, SubjectSetup } from '../../index.ts';

const LABEL_WIDTH = 10;

/** How the answers to a question are read: nothing typed means that nobody saw it. */
type Answer = boolean | undefined;

export interface TerminalObserverOptions {
  readonly kind: 'device' | 'client';
  /** The file with all codes, where one was printed. */
  readonly sheet: string | undefined;
  /** Ends the session: somebody pressed Ctrl-C at a question. */
  readonly stop: () => void;
}

/** Tells a person at the terminal what to do, shows the codes, and asks what happened. */
export class TerminalObserver implements Observer {
  readonly hasPower: boolean;
  readonly knowsEnd = true;
  readonly strayOpenings = [];
  readonly reopenings = [];
  readonly #io: CliIo;
  readonly #options: TerminalObserverOptions;
  #address = '';

  constructor(io: CliIo, options: TerminalObserverOptions) {
    this.#io = io;
    this.#options = options;
    this.hasPower = options.kind === 'device';
  }

  async start({ baseUrl, key, addresses, ca }: SubjectSetup): Promise<void> {
    const isDevice = this.#options.kind === 'device';
    this.#say('');
    this.#say(isDevice ? 'Type this into the controller:' : 'Give this to the program:');
    const typedIn = isDevice ? addresses : [['Address', baseUrl] as const];
    for (const [label, url] of typedIn) this.#say(`  ${label.padEnd(LABEL_WIDTH)} ${url}`);
    this.#say(`  Key        ${key}`);
    if (ca !== undefined) this.#say(`  It has to trust this certificate:\n${ca}`);
    const { sheet } = this.#options;
    if (sheet !== undefined) this.#say(`The codes are also in ${sheet}, by their numbers.`);
    this.#address = isDevice ? (addresses[0]?.[1] ?? baseUrl) : baseUrl;
    this.#say('At each question, r repeats the scene and b goes back to the one before.');
    this.#say('Ctrl-C interrupts the session; it can be resumed.');
    await this.#ask('Press Enter when it is set up. ');
  }

  tell(text: string): void {
    this.#say(text);
  }

  async present({ code, number, hint }: Step): Promise<void> {
    const hasColours = !this.#io.env['NO_COLOR'] && this.#io.stderrIsTty;
    this.#say(`\n${renderQr(code, { format: hasColours ? 'terminal' : 'text' })}`);
    this.#say(`Code ${number}. ${hint}`);
    await this.#answer('Present the code, wait until nothing more happens, and press Enter. ');
  }

  async power(on: boolean): Promise<void> {
    await this.#answer(
      on
        ? 'Restore the power, wait until the device is ready, and press Enter. '
        : 'Cut the power of the device, and press Enter. ',
    );
  }

  async observe({ wants, text, requests, missing }: Prompt): Promise<Observation> {
    this.#say(`Requests with this code: ${requests}.`);
    if (missing !== undefined) await this.#help(missing);
    const opened = await this.#yes('Did the door open?');
    const relay = opened && wants.includes('relay') ? await this.#relay() : undefined;
    const openMs = opened && wants.includes('seconds') ? await this.#openMs() : undefined;
    const shown = wants.includes('display') && text ? await this.#shown(text) : undefined;
    const { lights, told } = opened === true ? {} : await this.#shutSeen(wants);
    const offline = wants.includes('online')
      ? await this.#yes('Does the device show that it has no contact?')
      : undefined;
    return {
      opened,
      relay,
      openMs,
      shown,
      lights,
      told,
      ...(offline === undefined ? {} : { online: [!offline] }),
    };
  }

  openedBetween(): Promise<boolean | undefined> {
    return this.#yes(
      'Between the presentations of this part: did the door open, or a relay click, without a code?',
    );
  }

  async close(): Promise<void> {}

  /** What a display should show: yes or no for each text. */
  async #shown(text: Shown): Promise<Shown[] | undefined> {
    const name = text.name === '' ? true : await this.#yes(`Does the display show "${text.name}"?`);
    const note = text.note === '' ? true : await this.#yes(`Does the display show "${text.note}"?`);
    if (name === undefined || note === undefined) return undefined;
    const other = '(something else)';
    return [{ name: name ? text.name : other, note: note ? text.note : other }];
  }

  async #relay(): Promise<string | undefined> {
    const text = await this.#answer('Which relay came on? i = IN, o = OUT, Enter = not seen: ');
    return { i: 'IN', o: 'OUT' }[text.trim().toLowerCase().slice(0, 1)];
  }

  /** What a person sees at a door that stays shut. */
  async #shutSeen(wants: readonly Want[]): Promise<Pick<Observation, 'lights' | 'told'>> {
    const lights = wants.includes('light') ? await this.#lights() : undefined;
    const told = wants.includes('told')
      ? await this.#yes('Did a red light or a text tell the person?')
      : undefined;
    return { lights, told };
  }

  async #lights(): Promise<Light[] | undefined> {
    const text = await this.#answer('Which light came on? g = green, r = red, Enter = not seen: ');
    const light = ({ g: 'green', r: 'red' } as const)[text.trim().toLowerCase().slice(0, 1)];
    return light && [light];
  }

  async #openMs(): Promise<number | undefined> {
    const text = await this.#answer('For how many seconds was it open? Enter = not seen: ');
    const seconds = Number(text.trim().replace(',', '.'));
    return text.trim() === '' || !(seconds >= 0) ? undefined : seconds * 1000;
  }

  async #yes(question: string): Promise<Answer> {
    for (;;) {
      const text = (await this.#answer(`${question} y/n, Enter = not seen: `)).trim().toLowerCase();
      if (text === '') return undefined;
      if (/^[yj]/.test(text)) return true;
      if (text.startsWith('n')) return false;
      this.#say('Type y or n, or just Enter when you did not see it.');
    }
  }

  /** No request came, although one should have: nothing that is seen now says anything about an answer. */
  async #help(others: readonly string[]): Promise<void> {
    this.#say('No request came. The door, the display and the light show nothing about an answer.');
    for (const other of others) this.#say(`- ${other} came in place of it: correct the path.`);
    this.#say(`- Is this address in the device, to the letter?  ${this.#address}`);
    this.#say('- Are the device and this machine in one network? Does ping reach this machine?');
    this.#say('- Does a firewall of this machine refuse the port? Does the reader read QR codes?');
    await this.#answer('Press r to show the code again, or Enter to go on without a request. ');
  }

  /** @throws PlayAgain for r and b */
  async #answer(question: string): Promise<string> {
    const text = await this.#ask(question);
    const typed = text.trim().toLowerCase();
    if (typed === 'r' || typed === 'b') throw new PlayAgain(typed === 'r' ? 'this' : 'before');
    return text;
  }

  async #ask(question: string): Promise<string> {
    try {
      return await ask(this.#io, question);
    } catch (error) {
      if (error instanceof Interrupted) this.#options.stop();
      throw error;
    }
  }

  #say(text: string): void {
    this.#io.stderr.write(`${text}\n`);
  }
}
