import { readFileSync, statSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Chunk {
  readonly fileName: string;
  readonly imports: readonly string[];
  readonly modules: readonly string[];
}

const FOLDER = 'dist/dashboard';
const chunks: readonly Chunk[] = JSON.parse(readFileSync(`${FOLDER}/.chunks.json`, 'utf8'));

/** The chunks that come with a module: its own, and what that imports before it runs. */
function chunksWith(...modules: readonly string[]): readonly Chunk[] {
  const found = new Set<Chunk>();
  const add = (chunk: Chunk | undefined) => {
    if (!chunk || found.has(chunk)) return;
    found.add(chunk);
    for (const name of chunk.imports) add(chunks.find(({ fileName }) => fileName === name));
  };
  for (const module of modules) add(chunks.find((chunk) => chunk.modules.includes(module)));
  return [...found];
}

/** What the scan page loads: the frame and the page. */
const part = chunksWith('src/dashboard/main.tsx', 'src/dashboard/pages/scanner.tsx');
const modules = part.flatMap((chunk) => chunk.modules);

/** A new module here makes a phone at a gate wait longer: it belongs to the frame, to the sign-in of a session, or to scanning. */
const OWN = [
  /^src\/dashboard\/main\.tsx$/u,
  /^src\/dashboard\/(?:index\.html|icon\.svg)$/u,
  /^src\/dashboard\/styles\/(?:[\w-]+\.css|frame-components\.ts)$/u,
  /^src\/dashboard\/api\/(?:http|session|site-status|use-api)\.tsx?$/u,
  /^src\/dashboard\/components\/(?:deliberate|page-head|part|values)\.tsx$/u,
  /^src\/dashboard\/i18n\/(?:language|texts|both-languages|general-texts|scan-texts|formats)\.tsx?$/u,
  /^src\/dashboard\/pages\/(?:scanner|scan-choices|scan-held|scan-next-step|scan-result|scan-word|scan-written)\.tsx?$/u,
  /^src\/dashboard\/scanner\//u,
  /^src\/dashboard\/shell\/shell\.tsx$/u,
  /^src\/core\/(?:administrative-records|limits|machine-zone|scan-words|ticket-fields)\.ts$/u,
  /^src\/kit\/durations\.ts$/u,
  /^src\/operations\/operation\.ts$/u,
];
/** The packages of the frame. A component of the library counts by its name. */
const PACKAGES = new Set([
  ...['react', 'react-dom', 'scheduler', 'wouter', 'regexparam', 'use-sync-external-store'],
  ...['@tanstack/query-core', '@tanstack/react-query', '@mantine/core', '@mantine/hooks'],
  ...['@tabler/icons-react', 'clsx', 'mitt'],
]);
const NOT_OF_THE_FRAME =
  /@mantine\/core\/.*\/(?:Modal|Drawer|Popover|Menu|Table|Tooltip|NumberInput|PasswordInput)\//u;

test('the scan page loads nothing of the desk', () => {
  const own = modules.filter((module) => module.startsWith('src/'));
  expect(own).toContain('src/dashboard/pages/scan-result.tsx');
  expect(own.filter((module) => !OWN.some((known) => known.test(module)))).toEqual([]);
  const packages = modules.flatMap(
    (module) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/u.exec(module)?.[1] ?? [],
  );
  expect([...new Set(packages)].filter((name) => !PACKAGES.has(name))).toEqual([]);
  expect(modules.filter((module) => NOT_OF_THE_FRAME.test(module))).toEqual([]);
});

test('its scripts weigh less than 150 KB, compressed', () => {
  const bytes = part.map(({ fileName }) => statSync(`${FOLDER}/${fileName}.br`).size);
  expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(150 * 1024);
});

/** The components of the library that have styles of their own, by the modules of their class names. */
function styledIn(some: readonly Chunk[]): string[] {
  const names = some
    .flatMap((chunk) => chunk.modules)
    .flatMap((module) => /@mantine\/core\/.*\/(\w+)\.module/u.exec(module)?.[1] ?? []);
  return [...new Set(names)].sort();
}

const importedBy = (file: string) =>
  [...readFileSync(`src/dashboard/styles/${file}`, 'utf8').matchAll(/styles\/([A-Z]\w+)\.layer/gu)]
    .map(([, name]) => name ?? '')
    .sort();

test('every component of the library has its styles, and the scan page those of its own only', () => {
  const own = styledIn(part);
  expect(own.length).toBeGreaterThan(5);
  expect(importedBy('frame-components.ts')).toEqual(own);
  const others = styledIn(chunks).filter((name) => !own.includes(name));
  expect(importedBy('desk-components.ts')).toEqual(others);
});
