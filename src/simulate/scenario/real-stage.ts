import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { cardOf } from '../cards/card-label.ts';
import { SimulateError } from '../errors.ts';
import type { Endpoint } from '../network/endpoint.ts';
import { SocketTransport } from '../network/socket-transport.ts';
import type { Card } from '../scan-attempt.ts';
import { RealTime } from '../time.ts';
import type { Transport } from '../wire.ts';
import type { Scenario, ScenarioCard, ServerAction } from './scenario-schema.ts';
import { Skip, type Stage } from './stage.ts';

/** What a real server offers to scenarios. */
export interface RealStageOptions {
  readonly endpoint: Endpoint;
  /** The same server with a key for selected events only. */
  readonly scopedEndpoint?: Endpoint | undefined;
  /** Unused cards by state, and by the names of cards that need more than a state. They are used up. */
  readonly pool: Map<string, Card[]>;
  /** Commands of the shell by the name of a server action. */
  readonly hooks: ReadonlyMap<string, string>;
  /** Ends the scenario at once. */
  readonly signal?: AbortSignal | undefined;
}

const LOOK_EVERY_MS = 5;

/** Plays a scenario in real time against a real server. */
export class RealStage implements Stage {
  readonly time = new RealTime();
  readonly #options: RealStageOptions;

  readonly #endpoint: Endpoint;

  /** @throws Skip when the scenario needs a key that is not there */
  constructor({ key }: Scenario, options: RealStageOptions) {
    this.#options = options;
    const scoped = key === 'selected-events';
    const endpoint = scoped ? options.scopedEndpoint : options.endpoint;
    if (!endpoint) throw new Skip('it needs a target file with a key "hardwareScoped"');
    this.#endpoint = endpoint;
  }

  connect(): Transport {
    return new SocketTransport(this.#endpoint, this.time);
  }

  cards(name: string, card: ScenarioCard): readonly Card[] {
    const { code, state = '', count = 1 } = card;
    if (code !== undefined) return [cardOf(code, name)];
    const own = this.#options.pool.get(name);
    const special = card.validFrom ?? card.validUntil ?? card.uses ?? card.holder;
    if (!own && special !== undefined && !fitsAnyway(card)) {
      throw new Skip(`the target file has no tickets "${name}", which this card needs`);
    }
    const source = own ?? this.#options.pool.get(state === 'forged' ? 'single' : state) ?? [];
    if (source.length < count) {
      const missing = `${count} unused tickets "${own ? name : state}"`;
      throw new Skip(`the target file does not have ${missing}; it has ${source.length} left`);
    }
    const cards = state === 'forged' ? source.slice(0, count).map(forged) : source.splice(0, count);
    return cards.map((one, index) => ({
      ...one,
      label: count === 1 ? name : `${name}-${index + 1}`,
    }));
  }

  async server(action: ServerAction): Promise<void> {
    const command = this.#options.hooks.get(action);
    if (command === undefined) {
      throw new Skip(
        `it needs a command for this change of the server: --hook "${action}=COMMAND"`,
      );
    }
    const child = spawn(command, { shell: true, stdio: ['ignore', 'ignore', 'inherit'] });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', resolve);
    });
    if (code !== 0) {
      throw new SimulateError('usage', `The hook "${action}" ended with exit code ${code}.`);
    }
  }

  async sleep(ms: number): Promise<void> {
    const { signal } = this.#options;
    await wait(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
    if (signal?.aborted) throw new Skip('it was interrupted');
  }

  async waitFor(done: () => boolean, limitMs: number): Promise<boolean> {
    const untilMs = this.time.nowMs() + limitMs;
    while (!done() && this.time.nowMs() < untilMs) await this.sleep(LOOK_EVERY_MS);
    return done();
  }

  close(): void {
    this.time.close();
  }
}

/** A ten-use card is what target files have as `multi`. */
function fitsAnyway({ state, uses, holder, validFrom, validUntil }: ScenarioCard): boolean {
  const plain = holder === undefined && validFrom === undefined && validUntil === undefined;
  return plain && state === 'multi' && uses === 10;
}

/** The same code with another last character of its signature. */
function forged({ code, label }: Card): Card {
  const last = code.endsWith('A') ? 'B' : 'A';
  return { code: code.slice(0, -1) + last, label };
}
