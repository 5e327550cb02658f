import { ADMIN_PREFIX } from '../../service/admin/admin-prefix.ts';

/**
 * The path under which a proxy serves the service: `/svc`, or nothing. The page's scripts lie in `assets` below it, so the
 * address of this one tells.
 */
export const BASE_PATH = new URL(import.meta.url).pathname.split('/').slice(0, -2).join('/');

/** Where the admin API is, seen from the page. */
export const ADMIN_PATH = `${BASE_PATH}${ADMIN_PREFIX}`;

/** An answer that is not 2xx, or no answer at all (`status` 0). */
export class ApiFailure extends Error implements Explained {
  override readonly name = 'ApiFailure';
  readonly status: number;
  /** What is wrong with the lines of a file. */
  readonly faults: readonly LineFault[];

  readonly code: string | undefined;
  readonly values: Values | undefined;

  constructor(status: number, message: string, { faults = [], code, values, field }: Refused = {}) {
    super(message);
    this.code = code;
    this.values = field === undefined ? values : { ...values, field };
    this.status = status;
    this.faults = faults;
  }
}

type Values = Readonly<Record<string, string | number>>;

/** What was refused, for a text in the language of the page. */
export interface Explained {
  readonly code?: string | undefined;
  readonly values?: Values | undefined;
}

interface Refused extends Explained {
  readonly faults?: readonly LineFault[];
  readonly field?: string;
}

export interface LineFault extends Explained {
  readonly line: number;
  /** The first lines with this fault. */
  readonly lines: readonly number[];
  readonly count: number;
  readonly column: string | null;
  readonly message: string;
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/admin/v1`, with its query. */
  readonly path: string;
  /** Sent as JSON; a file is sent as it is. */
  readonly body?: unknown;
}

/**
 * Asks the admin API. The session travels in a cookie that no script can read.
 * @throws ApiFailure
 */
export async function call<Answer>({ method, path, body }: Call): Promise<Answer> {
  const response = await fetch(`${ADMIN_PATH}${path}`, { method, ...contentOf(body) }).catch(() => {
    throw new ApiFailure(0, 'no answer');
  });
  const answer = await answerOf(response);
  return response.ok ? (answer as Answer) : refuse(response, answer);
}

function answerOf(response: Response): Promise<unknown> {
  return response.json().catch(() => undefined);
}

function refuse(response: Response, answer: unknown): never {
  const { message, ...refused } = (answer ?? {}) as Refused & { message?: string };
  throw new ApiFailure(response.status, message ?? response.statusText, refused);
}

function contentOf(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (body instanceof Blob) {
    return { body, headers: { 'content-type': body.type || 'application/octet-stream' } };
  }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
}

/** A file that the server makes from a request. @throws ApiFailure */
export async function callForFile({ method, path, body }: Call): Promise<Blob> {
  const response = await fetch(`${ADMIN_PATH}${path}`, { method, ...contentOf(body) }).catch(() => {
    throw new ApiFailure(0, 'no answer');
  });
  return response.ok ? response.blob() : refuse(response, await answerOf(response));
}

/** A query string of what is set; empty values are left out. */
export function queryOf(values: Record<string, string | number | undefined | null>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}
