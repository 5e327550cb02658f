import { isDeepStrictEqual } from 'node:util';
import type { OpenApiDocument, Schema } from './types.ts';

type Schemas = Readonly<Record<string, Schema>>;

const REFERENCE = /"#\/components\/schemas\/([^"]+)"/g;
const OF_REQUESTS = /Input$/;

/**
 * The document with the schemas that it uses. The framework lists each one twice, for requests as `…Input`; that name is kept
 * only where requests and answers differ.
 */
export function withUsedSchemas(document: OpenApiDocument): OpenApiDocument {
  const all = document.components?.schemas ?? {};
  const used = new Set<string>();
  collect(document.paths, all, used);
  const names = new Map([...used].map((name) => [name, plainName(name, all, used)]));
  const renamed = JSON.stringify({
    ...document,
    components: { ...document.components, schemas: pick(all, names) },
  }).replace(REFERENCE, (_, name) => `"#/components/schemas/${names.get(name) ?? name}"`);
  return JSON.parse(renamed);
}

function collect(part: unknown, all: Schemas, used: Set<string>): void {
  for (const [, name = ''] of JSON.stringify(part ?? {}).matchAll(REFERENCE)) {
    if (used.has(name)) continue;
    used.add(name);
    collect(all[name], all, used);
  }
}

function plainName(name: string, all: Schemas, used: ReadonlySet<string>): string {
  const plain = name.replace(OF_REQUESTS, '');
  return !used.has(plain) || isDeepStrictEqual(all[plain], all[name]) ? plain : name;
}

function pick(all: Schemas, names: ReadonlyMap<string, string>): Schemas {
  return Object.fromEntries([...names].map(([name, plain]) => [plain, all[name] ?? {}]));
}
