import { CheckUsageError } from '../deployment/target.ts';
import { isRecord } from '../facts/json.ts';
import { isLoopback } from '../requests/base-url.ts';
import { HttpClient } from '../requests/http-client.ts';
import type { HttpClientOptions, World } from '../requests/world.ts';
import { type ChangeOrder, type KeyAccess, KeyAccessError } from './spare-keys.ts';

const PREFIX = '/admin/v1';

/** Changes keys over the admin API of a ticketscan server, which has to be at the base address. */
export class AdminAccess implements KeyAccess {
  readonly #client: HttpClient;
  readonly #token: string;
  /** Ids by the values of the keys that it made: it changes no others. */
  readonly #made = new Map<string, string>();

  /** @throws CheckUsageError for an address over which the token would be readable */
  constructor(token: string, options: Omit<HttpClientOptions, 'signal'>, world: World) {
    const { protocol, hostname, origin } = options.baseUrl;
    if (protocol !== 'https:' && !isLoopback(hostname))
      throw new CheckUsageError(
        `${origin} is plain HTTP: others on the network could read the token.`,
      );
    this.#token = token;
    this.#client = new HttpClient(options, world);
  }

  readonly hooks = {
    'disable-key': (order: ChangeOrder) => this.#edit(order, { active: false }),
    'enable-key': (order: ChangeOrder) => this.#edit(order, { active: true }),
    'rename-key': (order: ChangeOrder) => this.#edit(order, { name: order.name }),
    'scope-key': (order: ChangeOrder) => this.#edit(order, { events: order.events }),
    'delete-key': async (order: ChangeOrder) => {
      await this.#ask('DELETE', this.#pathOf(order));
      this.#made.delete(order.key);
    },
  };

  async create(type: ChangeOrder['type'], name: string): Promise<string> {
    const made = await this.#ask('POST', '/keys', { name, type, events: 'all' });
    const { key, id } = made;
    if (typeof key !== 'string' || typeof id !== 'string')
      throw new KeyAccessError(`${PREFIX}/keys did not answer like an admin API.`);
    this.#made.set(key, id);
    return key;
  }

  async eventOf(code: string): Promise<string> {
    const ticket = await this.#ask(
      'GET',
      `/tickets/${encodeURIComponent(code.split('.')[1] ?? '')}`,
    );
    const { event, eventId } = ticket;
    const id = isRecord(event) ? event['id'] : (eventId ?? event);
    if (typeof id === 'string') return id;
    throw new KeyAccessError('the admin API does not say to which event a ticket belongs');
  }

  async #edit(order: ChangeOrder, changes: object): Promise<void> {
    await this.#ask('PATCH', this.#pathOf(order), changes);
  }

  #pathOf({ key }: ChangeOrder): string {
    const id = this.#made.get(key);
    if (id === undefined) throw new KeyAccessError('the check changes only keys that it created');
    return `/keys/${id}`;
  }

  async #ask(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const answer = await this.#client
      .send({
        method,
        path: `${PREFIX}${path}`,
        headers: [
          ['authorization', `Bearer ${this.#token}`],
          ...(body ? [['content-type', 'application/json'] as const] : []),
        ],
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      .catch((error) => {
        throw new KeyAccessError(`the admin API did not answer: ${error.message}`);
      });
    const json = isRecord(answer.json) ? answer.json : {};
    if (answer.status < 300) return json;
    const said = typeof json['message'] === 'string' ? `: ${json['message']}` : '';
    throw new KeyAccessError(
      `the admin API refused it (${method} ${PREFIX}${path.replace(/\/[^/]*$/, '/…')}, HTTP ${answer.status}${said})`,
    );
  }

  close(): void {
    this.#client.close();
  }
}
