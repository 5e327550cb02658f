import type * as z from 'zod';
import { systemClock } from '../config/system-clock.ts';
import type { Clock } from '../core/clock.ts';
import { type ErrorCode, TicketscanError } from '../core/errors.ts';
import { withoutEndSlashes } from '../kit/base-address.ts';
import { asSentence, type Caller, COMMAND } from '../kit/failures.ts';
import { JsonClient, type JsonClientOptions, type JsonRequest } from '../kit/json-client.ts';
import { ErrorBody } from './fields.ts';
import { writeInput } from './input-issues.ts';
import { ADMIN_PREFIX, type Call, methodAndPath, type Operation } from './operation.ts';

type Members = Readonly<Record<string, unknown>>;

function requestOf({ http, params, query, body }: Operation, input: Members): JsonRequest {
  const { method, path } = methodAndPath(http);
  const inPath = encoded(params, input);
  const named = path.replaceAll(/:(\w+)/g, (_, name) => encodeURIComponent(String(inPath[name])));
  const asked = Object.entries(encoded(query, input)).map(([name, value]) => [name, String(value)]);
  const text = new URLSearchParams(asked).toString();
  return {
    method,
    path: text === '' ? named : `${named}?${text}`,
    ...(method !== 'GET' && method !== 'DELETE' && { body: JSON.stringify(encoded(body, input)) }),
  };
}

/** Encodes the given members of a part for the request. @throws TicketscanError `usage` for a value that a server would refuse */
function encoded(part: z.ZodObject | undefined, input: Members): Members {
  const members = Object.entries(part?.shape ?? {}).flatMap(([name, schema]) => {
    if (input[name] === undefined) return [];
    const sent = writeInput(schema as z.ZodType, input[name]);
    if ('value' in sent) return [[name, sent.value]];
    const { field, message } = sent.issue;
    throw new TicketscanError('usage', `${[name, field].filter(Boolean).join('.')}: ${message}`);
  });
  return Object.fromEntries(members);
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const TIMEOUT_MS = 30_000;
/** Clocks that differ by less than this count as equal: an answer names its time to the second, and takes a while to come. */
const CLOCKS_DIFFER_MS = 2000;

const CODES: Readonly<Record<number, ErrorCode>> = {
  403: 'not_allowed',
  404: 'not_found',
  409: 'conflict',
  503: 'store_unavailable',
};

/** A command with `--url`, whose token goes over plain HTTP to this machine only. */
export const ADMINISTRATOR: Caller = {
  ...COMMAND,
  notTls: 'is it http:// instead of https://? To another machine this command takes https:// only',
  lost: 'check proxies and firewalls in between, and whether the port is right',
};

/** Calls a server's admin API as a script does, with an access token, and checks the answers. */
export class AdminClient {
  readonly #base: string;
  readonly #client: JsonClient;
  #aheadMs = 0;

  /**
   * @param options the certificates to trust, and who is told of each answer
   * @throws TicketscanError `usage` for an address over which the token would be readable
   */
  constructor(
    url: string,
    token: string,
    { ca, onAnswer }: Pick<JsonClientOptions, 'ca' | 'onAnswer'> = {},
  ) {
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !LOOPBACK.test(hostname)) {
      throw new TicketscanError(
        'usage',
        `--url ${url}: others on the network could read the token. Use https.`,
      );
    }
    this.#base = `${withoutEndSlashes(url)}${ADMIN_PREFIX}`;
    this.#client = new JsonClient({
      base: this.#base,
      headers: { authorization: `Bearer ${token}` },
      ca,
      onAnswer,
      timeoutMs: TIMEOUT_MS,
      caller: ADMINISTRATOR,
      unreachable: (why, cause) => {
        const message = `${new URL(url).origin} cannot be reached: ${why}`;
        return new TicketscanError('unreachable', asSentence(message), { cause });
      },
    });
  }

  /**
   * The clock of the server, from its latest answer. Answers depend on this clock, so times that are shown beside them use it too.
   * Before the first answer, and if both clocks agree to two seconds, it is the clock of this machine.
   */
  readonly clock: Clock = {
    now: () => systemClock.now() + this.#aheadMs,
    monotonicMs: systemClock.monotonicMs,
  };

  /** Calls an operation at the server. */
  readonly call: Call = (async (operation: Operation, input: Members) =>
    this.#send(requestOf(operation, input), operation.answer)) as Call;

  /** Sends JSON Lines. @param refused a refusal that is returned: it says what is wrong with each line */
  postLines<Schema extends z.ZodType, Refused extends z.ZodType = z.ZodNever>(
    path: string,
    schema: Schema,
    lines: string,
    refused?: Refused,
  ): Promise<z.output<Schema> | z.output<Refused>> {
    const contentType = 'application/x-ndjson';
    return this.#send({ method: 'POST', path, body: lines, contentType }, schema, refused);
  }

  /** Sends a request and reads the answer. @throws TicketscanError for another refusal, and for an answer that does not fit */
  async #send<Schema extends z.ZodType, Refused extends z.ZodType = z.ZodNever>(
    request: JsonRequest,
    schema: Schema,
    refused?: Refused,
  ): Promise<z.output<Schema> | z.output<Refused>> {
    const answer = await this.#client.send(request);
    const aheadMs = answer.atMs - systemClock.now();
    this.#aheadMs = Math.abs(aheadMs) >= CLOCKS_DIFFER_MS ? aheadMs : 0;
    if (!answer.isOk) {
      const told = refused?.safeParse(answer.json);
      if (told?.success) return told.data;
      throw refusal(answer.status, answer.json);
    }
    const read = schema.safeParse(answer.json);
    if (read.success) return read.data;
    throw new TicketscanError(
      'unreachable',
      `${this.#base}${request.path} did not answer like an admin API. Is --url right, and is the server as new as this program?`,
    );
  }
}

function refusal(status: number, answer: unknown): TicketscanError {
  const body = ErrorBody.safeParse(answer);
  if (status === 401) {
    return new TicketscanError(
      'usage',
      'The server refuses the token: it is wrong, has expired, or its account was deleted.',
    );
  }
  if (!body.success) {
    return new TicketscanError(
      'unreachable',
      `The server answered with HTTP ${status}. Is --url right?`,
    );
  }
  const { message, field } = body.data;
  return new TicketscanError(
    codeOf(status),
    field === undefined ? message : `${field}: ${message}`,
  );
}

function codeOf(status: number): ErrorCode {
  return CODES[status] ?? (status < 500 ? 'usage' : 'unreachable');
}
