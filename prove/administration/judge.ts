import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BUILT_PROGRAM, run } from '../world/program.ts';
import type { Command } from './rows.ts';
import type { Site } from './site.ts';
import {
  doctorOn,
  keyStates,
  namesIn,
  plainName,
  readState,
  refusedCodes,
  type StoreState,
  textOf,
} from './state.ts';

type Side = 'before' | 'after' | 'between';

interface End {
  readonly text: string;
  readonly names: ReadonlySet<string>;
}

/** Says what is wrong with a site on which a command was stopped. */
export class Judge {
  readonly #site: Site;
  readonly #command: Command;
  readonly #before: End;
  readonly #after: End;
  /** States from which the command went on well. */
  readonly #goesOn = new Set<string>();
  /** How often the command went on. */
  continued = 0;

  private constructor(site: Site, command: Command, before: End, after: End) {
    this.#site = site;
    this.#command = command;
    this.#before = before;
    this.#after = after;
  }

  /** @param show puts the state before, or after, into the place of the site */
  static async of(
    site: Site,
    command: Command,
    show: (end: 'before' | 'after') => Promise<void>,
  ): Promise<Judge> {
    await show('before');
    const before = await endOf(site, command);
    await show('after');
    const after = await endOf(site, command);
    if (before.text === after.text)
      throw new Error(`ticketscan ${command.args.join(' ')} changed nothing`);
    return new Judge(site, command, before, after);
  }

  /** @returns what is wrong with the site as it is now; undefined when nothing is */
  async problem(): Promise<string | undefined> {
    try {
      const state = await readState(this.#site.url);
      const text = this.#textOf(state);
      const side = this.#sideOf(text);
      const problem = await this.#problemOf(state, side);
      if (problem !== undefined) return `the store is ${side}: ${problem}`;
      if (side === 'after' && this.#command.erased === undefined) return undefined;
      const names = namesIn(this.#site.place.folder).map(plainName).sort();
      return await this.#goOnOnce(JSON.stringify([text, names]));
    } catch (error) {
      return String(error);
    }
  }

  #sideOf(text: string): Side {
    if (text === this.#before.text) return 'before';
    return text === this.#after.text ? 'after' : 'between';
  }

  async #problemOf(state: StoreState, side: Side): Promise<string | undefined> {
    if (state.problems.length > 0) return `the audit says ${state.problems[0]}`;
    if (side === 'between' && !this.#command.isBetween?.(state)) return 'nothing goes on from here';
    const [refused] = refusedCodes(this.#site.keyring, this.#codes(side));
    if (refused !== undefined) return `the keyring refuses ${refused}`;
    // Files of a store that is about to be made are removed when it is made.
    const left = state.is === 'absent' ? [] : await this.#unnamed(side);
    return left.length > 0 ? `doctor does not name what is left: ${left.join(', ')}` : undefined;
  }

  async #goOnOnce(from: string): Promise<string | undefined> {
    if (this.#goesOn.has(from)) return undefined;
    const problem = await this.#goOn();
    if (problem === undefined) this.#goesOn.add(from);
    return problem && `then ${problem}`;
  }

  async #goOn(): Promise<string | undefined> {
    this.continued += 1;
    const { args, again = args, erased } = this.#command;
    const { code, err } = await run({ ...this.#site.place, program: BUILT_PROGRAM }, again);
    if (code !== 0) return `ticketscan ${again.join(' ')} ends with ${code}: ${err}`;
    const state = await readState(this.#site.url);
    const side = this.#sideOf(this.#textOf(state));
    if (side !== 'after') return `ticketscan ${again.join(' ')} leaves the store ${side}`;
    const holding = erased === undefined ? [] : this.#filesWith(erased);
    if (holding.length > 0) return `${holding.join(', ')} still has what was erased`;
    return this.#problemOf(state, side);
  }

  #textOf(state: StoreState): string {
    return textWithKeys(this.#site, this.#command, state);
  }

  #codes(side: Side): readonly string[] {
    const { codes } = this.#site;
    return side === 'after' ? (this.#command.codesAfter ?? codes) : codes;
  }

  /** Files that were not there before, belong to no end, and that `doctor` does not name. */
  async #unnamed(side: Side): Promise<string[]> {
    const { url, keyring, place } = this.#site;
    const known = side === 'after' ? this.#after.names : this.#before.names;
    const isKnown = (name: string) =>
      known.has(plainName(name)) || (side === 'between' && this.#after.names.has(plainName(name)));
    const others = namesIn(place.folder).filter((name) => !isKnown(name));
    if (others.length === 0) return [];
    const said = await doctorOn(url, keyring);
    return others.filter((name) => existsSync(join(place.folder, name)) && !said.includes(name));
  }

  #filesWith(text: string): string[] {
    const { folder } = this.#site.place;
    return readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));
  }
}

async function endOf(site: Site, command: Command): Promise<End> {
  const text = textWithKeys(site, command, await readState(site.url));
  return { text, names: new Set(namesIn(site.place.folder).map(plainName)) };
}

/** A keyring is as before or as after where that is all that the command changes. */
function textWithKeys({ keyring }: Site, command: Command, state: StoreState): string {
  const text = textOf(state);
  return command.isOfKeys ? `${text} ${keyStates(keyring)}` : text;
}
