import type { RequestSpec } from '../facts/exchange.ts';

/** A family of section 4: another way to ask than by POST. A row is a question on every endpoint. */
export interface OtherMethod {
  /** The variant in reports. */
  readonly name: string;
  readonly method: string;
  readonly headers?: RequestSpec['headers'];
  readonly query?: RequestSpec['query'];
  /** True where the answer has no body: only what it does to a ticket shows. */
  readonly isSilent?: true;
}

/** Every method that frameworks map to the code of another one, and what makes some of them take one method for another. */
export const OTHER_METHODS: readonly OtherMethod[] = [
  { name: 'GET', method: 'GET' },
  { name: 'HEAD', method: 'HEAD', isSilent: true },
  { name: 'PUT', method: 'PUT' },
  { name: 'PATCH', method: 'PATCH' },
  { name: 'DELETE', method: 'DELETE' },
  { name: 'OPTIONS', method: 'OPTIONS' },
  { name: 'QUERY', method: 'QUERY' },
  {
    name: 'GET-called-POST-by-a-header',
    method: 'GET',
    headers: [
      ['x-http-method-override', 'POST'],
      ['x-method-override', 'POST'],
      ['x-http-method', 'POST'],
    ],
  },
  { name: 'GET-called-POST-by-the-query', method: 'GET', query: [['_method', 'POST']] },
  {
    name: 'HEAD-called-POST-by-a-header',
    method: 'HEAD',
    headers: [['x-http-method-override', 'POST']],
    isSilent: true,
  },
];

/** The request, asked in another way. */
export function askedBy(other: OtherMethod, request: RequestSpec): RequestSpec {
  const { method, headers = [], query = [] } = other;
  return {
    ...request,
    method,
    headers: [...headers, ...(request.headers ?? [])],
    query: [...(request.query ?? []), ...query],
  };
}
