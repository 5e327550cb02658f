import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { withoutEndSlashes } from '../../kit/base-address.ts';
import { SECOND_MS } from '../../kit/durations.ts';
import { asSentence } from '../../kit/failures.ts';
import { JsonClient } from '../../kit/json-client.ts';
import { ADMIN_PREFIX } from '../../operations/operation.ts';
import { WAIT_SECONDS_MAX } from './wire.ts';

/** An answer may wait for something new, and then has to come. */
const TIMEOUT_MS = (WAIT_SECONDS_MAX + 15) * SECOND_MS;

export interface CentreAddress {
  readonly url: string;
  readonly token: string;
  /** PEM text of certificates to trust besides the usual ones. */
  readonly ca?: string | undefined;
}

/** The line of a site to its centre. */
export class CentreClient {
  readonly #client: JsonClient;

  /** @param signal ends what is under way: an answer may wait for something new */
  constructor({ url, token, ca }: CentreAddress, signal: AbortSignal) {
    this.#client = new JsonClient({
      base: `${withoutEndSlashes(url)}${ADMIN_PREFIX}`,
      headers: { authorization: `Bearer ${token}` },
      ca,
      signal,
      isCompressed: true,
      timeoutMs: TIMEOUT_MS,
      unreachable: (why, cause) => {
        const message = `The centre ${new URL(url).origin} cannot be reached: ${why}`;
        return new TicketscanError('unreachable', asSentence(message), { cause });
      },
    });
  }

  /** @throws TicketscanError `not_allowed` for a token that is refused, `unreachable` for everything else but an answer */
  async post<Schema extends z.ZodType>(
    path: string,
    body: unknown,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const request = { method: 'POST', path, body: JSON.stringify(body) } as const;
    return readAnswer(await this.#client.send(request), schema);
  }

  /** @throws as `post` does */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return readAnswer(await this.#client.send({ method: 'GET', path }), schema);
  }
}

function readAnswer<Schema extends z.ZodType>(
  { status, json, isOk }: Awaited<ReturnType<JsonClient['send']>>,
  schema: Schema,
): z.output<Schema> {
  const said = (json as { readonly message?: string } | undefined)?.message;
  if (status === 401 || status === 403) {
    throw new TicketscanError(
      'not_allowed',
      `The centre refuses this site: ${said ?? `HTTP ${status}`}`,
    );
  }
  if (!isOk) {
    const why = said === undefined ? '' : `: ${said}`;
    throw new TicketscanError('unreachable', `The centre answered with HTTP ${status}${why}`);
  }
  const read = schema.safeParse(json);
  if (read.success) return read.data;
  throw new TicketscanError(
    'unreachable',
    `The answer of the centre has another form (${z.prettifyError(read.error)}). Is it as new as this program?`,
  );
}
