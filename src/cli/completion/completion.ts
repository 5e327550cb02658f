/** One possible word, with what it is. */
export interface Candidate {
  readonly value: string;
  readonly about: string;
}

/** What can stand at the cursor. */
export interface Completion {
  /** Whole words that begin as the current one does. */
  readonly candidates: readonly Candidate[];
  /** The shell also offers its own list of these. */
  readonly paths?: 'files' | 'folders';
  /** Characters of the current word in front of a path: `json=` in `--report json=result`. */
  readonly pathPrefix?: string;
}
