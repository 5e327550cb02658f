import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const { resolve } = createRequire(import.meta.url);

/**
 * The compiler that checks types and writes declarations: `node TYPE_COMPILER -p PROJECT`. It is a native program and has no functions
 * for tools; those that read sources import `typescript`, which is the version before.
 */
export const TYPE_COMPILER = join(dirname(resolve('typescript-7/package.json')), 'bin', 'tsc');
