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
