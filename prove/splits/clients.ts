import { ask, type Heard, newAgent } from '../world/ask.ts';
import { sleep } from '../world/load.ts';
import type { Random } from '../world/random.ts';
import type { WorldKey } from '../world/world.ts';
import type { SplitServer } from './server.ts';

export interface SplitTicket {
  readonly ticketId: string;
  readonly code: string;
  readonly event: string;
  readonly usesAllowed: number;
}

/** A scan, and what became of it. Times are milliseconds since 1970, as the audit log has them. */
export interface Attempt {
  readonly at: string;
  readonly ticket: SplitTicket;
  readonly sentAt: number;
  readonly answeredAt: number;
  /** `elsewhere` for HTTP 500, `limited` for HTTP 429, which decides nothing either, `unknown` where no answer came. */
  readonly became: 'granted' | 'denied' | 'elsewhere' | 'limited' | 'unknown';
}

const ANSWER_MS_MAX = 8000;

function outcomeOf(heard: Heard): Attempt['became'] {
  if (heard.type === 'unknown') return heard.why === '500' ? 'elsewhere' : 'unknown';
  if (heard.type === 'ok') return 'granted';
  return heard.status === 'limited' ? 'limited' : 'denied';
}

/** Gates at all servers, which present the same tickets all the time. */
export class SplitClients {
  readonly attempts: Attempt[] = [];
  readonly #running: Promise<void>[] = [];
  #isOver = false;

  start(
    servers: readonly SplitServer[],
    tickets: readonly SplitTicket[],
    key: WorldKey,
    random: Random,
    gatesOfEach: number,
  ): void {
    for (const server of servers) {
      for (let gate = 0; gate < gatesOfEach; gate += 1)
        this.#running.push(this.#present(server, tickets, key, random.fork()));
    }
  }

  async #present(
    server: SplitServer,
    tickets: readonly SplitTicket[],
    key: WorldKey,
    random: Random,
  ): Promise<void> {
    const agent = newAgent();
    while (!this.#isOver) {
      await sleep(random.between(5, 60));
      const { url } = server;
      if (url === undefined) continue;
      const ticket = random.pick(tickets);
      const sentAt = Date.now();
      const scan = { action: 'consume', key, code: ticket.code } as const;
      const heard = await ask(url, scan, agent, ANSWER_MS_MAX);
      const became = outcomeOf(heard);
      this.attempts.push({ at: server.name, ticket, sentAt, answeredAt: Date.now(), became });
    }
    agent.destroy();
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#running);
  }
}
