/** What every step of a release knows. */
export interface Release {
  /** Where the files for users go. */
  readonly folder: string;
  /** Where steps leave what others need: the executables, unpacked. */
  readonly work: string;
  readonly version: string;
  /** Seconds since 1970: the only time that may be in a file. */
  readonly epoch: number;
  /** The short form, which leaves out what takes minutes. */
  readonly short: boolean;
}

/** Makes one kind of file for users. */
export interface Step {
  readonly name: string;
  /** Also part of the short form. */
  readonly isShort?: true;
  /** @returns the paths of the files that it made; the same sources give the same bytes */
  readonly make: (release: Release) => Promise<readonly string[]> | readonly string[];
}
