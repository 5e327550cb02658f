/** A text that gives access. Latin-1. */
export interface FoundKey {
  readonly key: string;
  /** As it stands on the wire: in a URL, characters may be encoded that need not be. */
  readonly spelling: string;
}
