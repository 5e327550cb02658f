import { bodies } from './bodies.ts';
import { codes } from './codes.ts';
import { devices } from './devices.ts';
import { framing } from './framing.ts';
import { contentTypes, headers, paths } from './heads.ts';
import { keys } from './keys.ts';
import type { Row } from './row.ts';

/**
 * What the service answers on the five scan paths and beside them: request → answer. The answers are written down from the
 * specification and the docs, not computed. No row takes a use: what would be granted is only validated.
 */
export const CONTRACT: Readonly<Record<string, readonly Row[]>> = {
  bodies: bodies(),
  codes: codes(),
  devices: devices(),
  keys: keys(),
  paths: paths(),
  'content types': contentTypes(),
  headers: headers(),
  framing: framing(),
};
