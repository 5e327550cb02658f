import { createRequire, isBuiltin, registerHooks } from 'node:module';
import { getAsset } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { isMainThread, threadName } from 'node:worker_threads';

// Where the single executable begins, and each of its threads. The files of the package are inside it; Node finds them there
// under addresses below that of the executable itself.

const INSIDE = `${pathToFileURL(process.execPath).href}/`;
const START = `${INSIDE}dist/start.js`;

registerHooks({
  resolve(specifier, context, next) {
    if (isBuiltin(specifier)) return next(specifier, context);
    const { href } = new URL(specifier, context.parentURL ?? INSIDE);
    // A folder `node_modules` near the executable must not become part of the program.
    if (!href.startsWith(INSIDE)) throw notInside(specifier);
    const format = href.endsWith('.cjs') ? 'commonjs' : 'module';
    return { url: href, format, shortCircuit: true };
  },
  load(url, context, next) {
    if (isBuiltin(url)) return next(url, context);
    return { source: sourceOf(url), format: context.format, shortCircuit: true };
  },
});

// The embedded script itself can import only what Node brings, so a module behind the hooks imports the program.
createRequire(process.execPath)(START);

function sourceOf(url: string): string {
  if (url !== START) return getAsset(url.slice(INSIDE.length), 'utf8');
  return `import('./${isMainThread ? 'main' : threadName}.js');`;
}

function notInside(specifier: string): Error {
  const error = new Error(`${specifier} is not part of this program`);
  return Object.assign(error, { code: 'MODULE_NOT_FOUND' });
}
