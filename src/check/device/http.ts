/** Where a request arrived: at the server of the session, at another port that no setup names, or under a certificate that nobody can trust. */
export type Place = 'server' | 'elsewhere' | 'untrusted';

/** A request as it arrived, with its answer. It has the key in it: reports redact it. */
export interface SeenRequest {
  /** Milliseconds since the session began. */
  readonly atMs: number;
  /** By the clock of this machine, milliseconds since 1970. */
  readonly wallMs: number;
  readonly place: Place;
  readonly method: string;
  /** Path and query as they were sent. */
  readonly target: string;
  /** Names as they were sent. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly secure: boolean;
  /** Undefined until something was answered. */
  answer?: { readonly status: number; readonly body: string; readonly how: string; atMs: number };
}

/** RFC 9112, section 3.2.2: a request line may have the whole address, which means the same. */
const ORIGIN = /^https?:\/\/[^/?]*/i;

/** The path of a request, without its query. */
export function pathOf({ target }: SeenRequest): string {
  return pathAndQuery(target).split('?')[0] || '/';
}

/** A target without the scheme and host that it may have. */
export function pathAndQuery(target: string): string {
  return target.replace(ORIGIN, '');
}

/** Every value of a query parameter. A plus sign is kept: keys have none, and Base64 needs it. */
export function queryValues({ target }: SeenRequest, name: string): string[] {
  const query = target.split('?').slice(1).join('?').replaceAll('+', '%2B');
  return new URLSearchParams(query).getAll(name);
}

/** Every value of a header. */
export function headerValues({ headers }: SeenRequest, name: string): string[] {
  return headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value);
}

/** How an answer goes over the wire. */
type Delivery =
  /** Whole, after this time. */
  | { readonly kind: 'late'; readonly ms: number }
  /** In pieces, the last one after this time. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** Half of the body, then the connection breaks. */
  | { readonly kind: 'cut' }
  /** The connection breaks without an answer. */
  | { readonly kind: 'lost' }
  /** Nothing, until the scene is over. */
  | { readonly kind: 'never' }
  /** With chunks in place of a Content-Length. */
  | { readonly kind: 'chunked' }
  /** The connection is closed after the answer. */
  | { readonly kind: 'closed' };

/** An answer to a request of what is judged. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** At once and whole, when it is left out. */
  readonly delivery?: Delivery | undefined;
}
