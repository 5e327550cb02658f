import * as z from 'zod';
import { TicketscanError } from '../../../core/errors.ts';
import { readYaml } from '../../../kit/yaml.ts';
import { newerStore, unreleasedStore } from '../store-format.ts';
import { DOCUMENT_FORMAT, type StoreContent, StoreDocument } from './document.ts';
import { type Issue, mistakesIn } from './document-issues.ts';

const MISTAKES_SHOWN = 5;
/** Finding the line of a mistake takes a parser that keeps positions, which is slow; above this only the path is named. */
const LOCATED_CHARACTERS_MAX = 4_000_000;

/** The document as text: members in a fixed order, one record per line, so that a change shows as the lines it touches. */
export function documentText(content: StoreContent): string {
  const encoded = z.encode(StoreDocument, content);
  const members = Object.entries(encoded).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = Array.isArray(value) ? arrayText(value) : inline(value);
    return [`  ${JSON.stringify(name)}: ${text}`];
  });
  return `{\n${members.join(',\n')}\n}\n`;
}

function arrayText(items: readonly unknown[]): string {
  if (items.length === 0) return '[]';
  return `[\n${items.map((item) => `    ${inline(item)}`).join(',\n')}\n  ]`;
}

function inline(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`;
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([name, member]) => `${JSON.stringify(name)}: ${inline(member)}`);
  return `{ ${members.join(', ')} }`;
}

/**
 * Reads a document that people may have edited.
 * @throws TicketscanError `store_damaged` that names each mistake by its path and line, `store_newer`
 */
export function parseDocumentText(text: string, path: string): StoreContent {
  const value = parseJson(text, path);
  refuseOtherFormat(value, path);
  const parsed = z.safeDecode(StoreDocument, value as z.input<typeof StoreDocument>);
  if (!parsed.success) throw mistaken(path, text, parsed.error.issues.map(fromIssue));
  const issues = mistakesIn(parsed.data);
  if (issues.length > 0) throw mistaken(path, text, issues);
  return parsed.data;
}

/** @throws TicketscanError `store_damaged` that names each mistake by its path and line */
export function mistaken(path: string, text: string, issues: readonly Issue[]): TicketscanError {
  const located = text.length > LOCATED_CHARACTERS_MAX ? undefined : readYaml(text);
  const lineOf = ({ path: at }: Issue) => (located ? ` (line ${located.placeOf(at).line})` : '');
  const shown = issues
    .slice(0, MISTAKES_SHOWN)
    .map((issue) => `\n  ${pathText(issue.path)}${lineOf(issue)}: ${issue.message}`);
  const rest =
    issues.length > MISTAKES_SHOWN ? `\n  … and ${issues.length - MISTAKES_SHOWN} more` : '';
  return new TicketscanError(
    'store_damaged',
    `${path} cannot be used; nothing was changed:${shown.join('')}${rest}\nFix it, or restore it from a backup.`,
  );
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TicketscanError(
      'store_damaged',
      `${path} is not valid JSON: ${(error as Error).message}. Fix it, or restore it from a backup; nothing was changed.`,
      { cause: error },
    );
  }
}

function refuseOtherFormat(value: unknown, path: string): void {
  const { format, version } = (value ?? {}) as { format?: unknown; version?: unknown };
  if (typeof format === 'number' && format > DOCUMENT_FORMAT)
    throw newerStore(path, format, DOCUMENT_FORMAT);
  if (format === undefined && version !== undefined) throw unreleasedStore(path);
}

function fromIssue({ path, message }: z.core.$ZodIssue): Issue {
  return { path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)), message };
}

/** `tickets[3].usesAllowed` */
function pathText(path: Issue['path']): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
  return text || 'the document';
}
