import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { initWasm, Resvg } from '@resvg/resvg-wasm';
import { transform } from 'esbuild';
import type { Plugin, Rolldown } from 'vite';
import { PAGE_PATHS } from '../src/serve/page.ts';

/** Where the source of the worker is, which answers without a line. */
const WORKER = 'service-worker.ts';
/** The parts of the page that a gate needs to say that there is no line. */
const SHELL_MODULES = ['main.tsx', 'pages/scanner.tsx'];

const NAME = 'ticketscan';
const THEME = '#3346b0';
const ICON_SIZES = [192, 512] as const;

type Bundle = Rolldown.OutputBundle;

/**
 * Makes what lets the page be installed: the manifest, its icons as PNG, drawn from the one as SVG, and the service worker with the names
 * of the files that it keeps.
 * @param sources the folder of the page
 */
export function withShell(sources: string): Plugin {
  return {
    name: 'with-shell',
    enforce: 'post',
    async generateBundle(_, bundle) {
      const icons = await drawIcons(readFileSync(join(sources, 'icon.svg'), 'utf8'));
      const drawn = icons.map(({ name, size, purpose, png }) => {
        const id = this.emitFile({ type: 'asset', name, source: png });
        return { src: this.getFileName(id), sizes: `${size}x${size}`, type: 'image/png', purpose };
      });
      this.emitFile({
        type: 'asset',
        fileName: 'manifest.webmanifest',
        source: JSON.stringify({ ...MANIFEST, icons: drawn }),
      });
      const source = await workerFor(sources, bundle);
      this.emitFile({ type: 'asset', fileName: 'service-worker.js', source });
    },
  };
}

/** Addresses are relative: a proxy may serve the page below a path. */
const MANIFEST = {
  name: NAME,
  short_name: NAME,
  description: 'Scans tickets at a gate and shows what happens there.',
  id: './',
  start_url: './',
  scope: './',
  display: 'standalone',
  theme_color: THEME,
  background_color: THEME,
} as const;

interface Icon {
  readonly name: string;
  readonly size: number;
  readonly purpose: 'any' | 'maskable';
  readonly png: Uint8Array;
}

async function drawIcons(svg: string): Promise<Icon[]> {
  const { resolve } = createRequire(import.meta.url);
  ready ??= initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')));
  await ready;
  const draw = (text: string, size: number) =>
    new Resvg(text, { fitTo: { mode: 'width', value: size } }).render().asPng();
  const icons = ICON_SIZES.map((size): Icon => {
    return { name: `icon-${size}.png`, size, purpose: 'any', png: draw(svg, size) };
  });
  const size = Math.max(...ICON_SIZES);
  const png = draw(maskable(svg), size);
  return [...icons, { name: 'icon-maskable.png', size, purpose: 'maskable', png }];
}

let ready: Promise<void> | undefined;

/** The icon on a ground that reaches to the edges. A system may cut off everything outside a circle of four fifths of the width. */
function maskable(svg: string): string {
  const inner = svg.replace('<svg ', '<svg x="12.5" y="12.5" width="75" height="75" ');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 100"><rect width="100" height="100" fill="${THEME}"/>${inner}</svg>`;
}

async function workerFor(sources: string, bundle: Bundle): Promise<string> {
  const files = shellFiles(sources, bundle);
  const { code } = await transform(readFileSync(join(sources, WORKER), 'utf8'), {
    loader: 'ts',
    format: 'iife',
    target: 'es2022',
    minify: true,
    define: {
      VERSION: JSON.stringify(versionOf(bundle)),
      FILES: JSON.stringify(files),
      PAGES: JSON.stringify(PAGE_PATHS),
    },
  });
  return code;
}

/** The files that the frame and the scan page load, with the styles and the picture of the frame. */
function shellFiles(sources: string, bundle: Bundle): string[] {
  const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
  const files = new Set<string>();
  const add = (fileName: string) => {
    const chunk = chunks.find((one) => one.fileName === fileName);
    if (!chunk || files.has(fileName)) return;
    files.add(fileName);
    for (const imported of chunk.imports) add(imported);
  };
  for (const module of SHELL_MODULES) {
    const id = relative('.', join(sources, module));
    const chunk = chunks.find(({ modules }) =>
      Object.keys(modules).some((one) => relative('.', one) === id),
    );
    if (!chunk) throw new Error(`no chunk has ${id}`);
    add(chunk.fileName);
  }
  for (const fileName of Object.keys(bundle)) {
    if (/\.(?:css|svg)$|find-code-worker/u.test(fileName)) files.add(fileName);
  }
  return [...files].sort();
}

/** Names change with contents; the document has none of its own. */
function versionOf(bundle: Bundle): string {
  const hash = createHash('sha256');
  for (const [fileName, one] of Object.entries(bundle).sort(([a], [b]) => (a < b ? -1 : 1))) {
    hash.update(`${fileName}\0`);
    if (one.type === 'asset' && fileName.endsWith('.html')) hash.update(one.source);
  }
  return hash.digest('hex').slice(0, 16);
}
