import * as z from 'zod';
import { TicketscanError } from '../../core/errors.ts';
import { positionOfJsonIssue, repeatedMember } from '../../kit/json-text.ts';
import { readYaml } from '../../kit/yaml.ts';
import { newerStore, unreleasedStore } from '../store-format.ts';
import {
  DOCUMENT_FORMAT,
  type Issue,
  issuesIn,
  type StoreContent,
  StoreDocument,
} from './document.ts';

const ISSUES_SHOWN = 5;
/** Finding the line of an issue takes a slow parser, which keeps positions; for larger documents only the path is named. */
const LOCATED_CHARACTERS_MAX = 4_000_000;

/**
 * Reads a document.
 * @throws TicketscanError `store_damaged` that names each issue by its path and line, `store_newer`
 */
export function parseDocumentText(text: string, path: string): StoreContent {
  const value = parseJson(text, path);
  refuseOtherFormat(value, path);
  const parsed = z.safeDecode(StoreDocument, value as z.input<typeof StoreDocument>);
  if (!parsed.success) throw invalid(path, text, parsed.error.issues.map(fromIssue));
  const issues = issuesIn(parsed.data);
  if (issues.length > 0) throw invalid(path, text, issues);
  return parsed.data;
}

/**
 * Reads a document that people may have edited, also for what a program never writes.
 * @throws TicketscanError as `parseDocumentText` does
 */
export function parseEditedText(text: string, path: string): StoreContent {
  const content = parseDocumentText(text, path);
  const repeated = repeatedMember(text);
  if (repeated === undefined) return content;
  throw new TicketscanError(
    'store_damaged',
    `${path} cannot be used; nothing was changed: line ${repeated.line} has "${repeated.name}" a second time. Take one of the two out.`,
  );
}

/** @returns TicketscanError `store_damaged` that names each issue by its path and line */
export function invalid(path: string, text: string, issues: readonly Issue[]): TicketscanError {
  const located = text.length > LOCATED_CHARACTERS_MAX ? undefined : readYaml(text);
  const lineOf = ({ path: at }: Issue) => (located ? ` (line ${located.positionOf(at).line})` : '');
  const shown = issues
    .slice(0, ISSUES_SHOWN)
    .map((issue) => `\n  ${pathText(issue.path)}${lineOf(issue)}: ${issue.message}`);
  const rest = issues.length > ISSUES_SHOWN ? `\n  … and ${issues.length - ISSUES_SHOWN} more` : '';
  return new TicketscanError(
    'store_damaged',
    `${path} cannot be used; nothing was changed:${shown.join('')}${rest}\nFix it, or restore it from a backup.`,
  );
}

/** @returns TicketscanError `store_damaged` for a text that was made from another than the store wrote */
export function unknownText(path: string, written: number): TicketscanError {
  return new TicketscanError(
    'store_damaged',
    `${path} was made from a text that ${path}.db does not know ("written": ${written}): that of another store, or one of weeks ago. Nothing was changed. ` +
      `Move ${path} away and start: it is written anew, and you can edit it then. Or move ${path}.db, with its -wal and -shm, away to go on from this text ` +
      'alone, without all that happened since, and without the log.',
  );
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new TicketscanError(
      'store_damaged',
      `${path} is not valid JSON: ${positionOfJsonIssue(text)}. Fix it, or restore it from a backup; nothing was changed.`,
      { cause: error },
    );
  }
}

function refuseOtherFormat(value: unknown, path: string): void {
  const { format, version, log } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof format === 'number' && format > DOCUMENT_FORMAT)
    throw newerStore(path, format, DOCUMENT_FORMAT);
  if (log !== undefined || (format === undefined && version !== undefined))
    throw unreleasedStore(path);
  if (format === undefined) {
    throw new TicketscanError(
      'store_damaged',
      `${path} is JSON, but not the document of a ticketscan store: it has no "format". Name another file with --store.`,
    );
  }
}

function fromIssue({ path, message: said }: z.core.$ZodIssue): Issue {
  const message = said.endsWith('received undefined') ? 'is missing' : said;
  return { path: path.map((part) => (typeof part === 'symbol' ? String(part) : part)), message };
}

/** The path of an issue as people write it, such as `tickets[3].usesAllowed`. */
function pathText(path: Issue['path']): string {
  const text = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
  return text || 'the document';
}
