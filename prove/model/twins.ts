import type { Twin } from './twin.ts';
import { OF_CHANGES } from './twins-of-changes.ts';
import { OF_SCANS } from './twins-of-scans.ts';

export const TWINS: readonly Twin[] = [...OF_SCANS, ...OF_CHANGES];

/** Planted bugs that a model of one ticket has no twin of: they need a disk, or a bucket. */
export const WITHOUT_TWIN: readonly string[] = [
  'never syncs',
  'syncs at checkpoints only',
  'fills the bucket twice as high as the limit says',
  'lets one request through above the quota',
];
