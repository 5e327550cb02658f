import type { Argument, Option } from 'commander';
import { suggestionsFor } from '../../terminal/option-values.ts';
import type { Completion } from './completion.ts';

/** What the values of an option or argument are. */
type Meaning = 'file' | 'folder' | 'secret' | 'store' | 'cases' | 'report';

/** What a value means, by the name that the help gives it: `--out <folder>`, `[event]`. */
const BY_PLACEHOLDER: Readonly<Record<string, Meaning>> = {
  file: 'file',
  files: 'file',
  path: 'file',
  card: 'file',
  'events.jsonl': 'file',
  before: 'file',
  after: 'file',
  a: 'file',
  b: 'file',
  code: 'secret',
  place: 'secret',
  token: 'secret',
  folder: 'folder',
  dir: 'folder',
  id: 'cases',
  from: 'store',
  to: 'store',
  'format=file': 'report',
};

/** Where the name in the help does not tell it. */
const BY_OPTION: Readonly<Record<string, Meaning>> = {
  '--store': 'store',
  '--key': 'secret',
};

/** What can be given to an option or argument. @param typed the value so far */
export async function valuesOf(target: Option | Argument, typed: string): Promise<Completion> {
  const suggested = suggestionsFor(target);
  if (suggested?.isList) return list(typed, suggested.words);
  if (suggested) return words(suggested.words);
  const meaning = meaningOf(target);
  if (meaning === undefined) return { candidates: [] };
  if (meaning === 'file') return { candidates: [], paths: 'files' };
  if (meaning === 'folder') return { candidates: [], paths: 'folders' };
  return prefixedOrCases(meaning, typed);
}

/** Undefined for free text. */
function meaningOf(target: Option | Argument): Meaning | undefined {
  if ('flags' in target) {
    const [, shown = ''] = /[<[]([^<>[\]]+)/.exec(target.flags) ?? [];
    const placeholder = shown.replace(/\.{3}$/, '');
    return BY_OPTION[target.long ?? ''] ?? BY_PLACEHOLDER[placeholder];
  }
  return BY_PLACEHOLDER[target.name()];
}

async function prefixedOrCases(
  meaning: 'secret' | 'store' | 'cases' | 'report',
  typed: string,
): Promise<Completion> {
  if (meaning === 'secret') return prefixed(typed, ['env:', 'file:'], /^file:/);
  if (meaning === 'store') {
    const engines = ['sqlite:', 'json:', 'postgres://', 'memory:'];
    return prefixed(typed, engines, /^(?:sqlite|json):/);
  }
  const { listCases, REPORT_FORMATS } = await import('../../check/index.ts');
  if (meaning === 'report') {
    const formats = REPORT_FORMATS.map((format) => `${format}=`);
    return prefixed(typed, formats, /^[a-z]+=/);
  }
  const cases = listCases();
  const sections = [...new Set(cases.map(({ section }) => section))];
  return {
    candidates: [
      ...cases.map(({ id, requirement }) => ({ value: id, about: requirement })),
      ...sections.map((section) => ({ value: section, about: `section ${section}` })),
    ],
  };
}

/** Beginnings of a value; behind those that `beforePath` matches, a file. */
function prefixed(typed: string, beginnings: readonly string[], beforePath: RegExp): Completion {
  const pathPrefix = beforePath.exec(typed)?.[0];
  if (pathPrefix !== undefined) return { candidates: [], paths: 'files', pathPrefix };
  return words(beginnings);
}

/** Another one behind those that are typed. */
function list(typed: string, all: readonly string[]): Completion {
  const before = typed.slice(0, typed.lastIndexOf(',') + 1);
  const named = new Set(before.split(','));
  return words(all.filter((value) => !named.has(value)).map((value) => before + value));
}

function words(values: readonly string[]): Completion {
  return { candidates: values.map((value) => ({ value, about: '' })) };
}
