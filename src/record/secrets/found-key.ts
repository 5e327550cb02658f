/** A text that gives access. Latin-1. */
export interface FoundKey {
  readonly key: string;
  /** As on the wire: a URL may encode more characters than necessary. */
  readonly spelling: string;
}
