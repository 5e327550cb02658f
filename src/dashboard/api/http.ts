import { ADMIN_PATH } from './base-path.ts';

/** An answer that is not 2xx, or no answer at all (`status` 0). */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  readonly status: number;
  /** What is wrong with the lines of a file. */
  readonly faults: readonly LineFault[];

  constructor(status: number, message: string, faults: readonly LineFault[] = []) {
    super(message);
    this.status = status;
    this.faults = faults;
  }
}

export interface LineFault {
  readonly line: number;
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
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as Answer;
  const { message, faults } = (answer ?? {}) as { message?: string; faults?: LineFault[] };
  throw new ApiFailure(response.status, message ?? response.statusText, faults);
}

function contentOf(body: unknown): RequestInit {
  if (body === undefined) return {};
  if (body instanceof File) {
    return { body, headers: { 'content-type': body.type || 'application/octet-stream' } };
  }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
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
