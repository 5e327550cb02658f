import type * as z from 'zod';
import { type ErrorCode, messageOf, TicketscanError } from '../../../../core/errors.ts';
import { ADMIN_PREFIX } from '../../../admin/admin-prefix.ts';
import { ErrorBody } from '../../../admin/wire/common.ts';
import { withoutEndSlashes } from '../../../http/scan-paths.ts';

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const TIMEOUT_MS = 30_000;

const CODES: Readonly<Record<number, ErrorCode>> = {
  403: 'not_allowed',
  404: 'not_found',
  409: 'conflict',
  503: 'store_unavailable',
};

/** Asks a server's admin API as a script does: with an access token, and what comes back is checked. */
export class AdminClient {
  readonly #base: string;
  readonly #token: string;

  /** @throws TicketscanError `usage` for an address over which the token would be readable */
  constructor(url: string, token: string) {
    const { protocol, hostname } = new URL(url);
    if (protocol !== 'https:' && !LOOPBACK.test(hostname)) {
      throw new TicketscanError(
        'usage',
        `--url ${url}: others on the network could read the token. Use https.`,
      );
    }
    this.#base = `${withoutEndSlashes(url)}${ADMIN_PREFIX}`;
    this.#token = token;
  }

  /** @param query members that are undefined are left out */
  get<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    query: Readonly<Record<string, string | number | undefined>> = {},
  ): Promise<z.output<Schema>> {
    const given = Object.entries(query).filter((entry) => entry[1] !== undefined);
    const text = new URLSearchParams(
      given.map(([name, value]) => [name, String(value)]),
    ).toString();
    return this.#json('GET', text === '' ? path : `${path}?${text}`, schema);
  }

  post<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    body: unknown = {},
  ): Promise<z.output<Schema>> {
    return this.#json('POST', path, schema, JSON.stringify(body));
  }

  patch<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    body: unknown,
  ): Promise<z.output<Schema>> {
    return this.#json('PATCH', path, schema, JSON.stringify(body));
  }

  delete<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    return this.#json('DELETE', path, schema);
  }

  postLines<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    lines: string,
  ): Promise<z.output<Schema>> {
    return this.#json('POST', path, schema, lines, 'application/x-ndjson');
  }

  async #json<Schema extends z.ZodType>(
    method: string,
    path: string,
    schema: Schema,
    body?: string,
    contentType = 'application/json',
  ): Promise<z.output<Schema>> {
    const response = await this.#fetch(`${this.#base}${path}`, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body !== undefined && { 'content-type': contentType }),
      },
      ...(body !== undefined && { body }),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (!response.ok) throw refusal(response.status, answer);
    const read = schema.safeParse(answer);
    if (read.success) return read.data;
    throw new TicketscanError(
      'unreachable',
      `${this.#base}${path} did not answer like an admin API. Is --url right, and is the server as new as this program?`,
    );
  }

  async #fetch(address: string, init: RequestInit): Promise<Response> {
    try {
      return await fetch(address, init);
    } catch (error) {
      const cause = (error as { cause?: unknown }).cause;
      throw new TicketscanError(
        'unreachable',
        `${new URL(address).origin} cannot be reached: ${messageOf(cause ?? error)}.`,
        { cause: error },
      );
    }
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
