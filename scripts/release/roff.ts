const NAMED: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
};

/** Text as roff shows it unchanged: no escape, no request, no curly quotes, ASCII only. */
export function roffText(text: string): string {
  const escaped = text.replace(/[\\'`^~-]|[^\n -~]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return NAMED[character] ?? `\\[u${code.toString(16).toUpperCase().padStart(4, '0')}]`;
  });
  return escaped.replace(/^\./gmu, '\\&.');
}

/** `text` in bold. */
export function bold(text: string): string {
  return `\\fB${roffText(text)}\\fR`;
}

/** `--out <folder>` with what the user writes in bold and what the user replaces in italics. */
export function term(text: string): string {
  const parts = text.split(/([<[][^>\]]*[>\]])/u);
  return parts
    .map((part, index) => (index % 2 === 1 ? `\\fI${roffText(part)}\\fR` : part && bold(part)))
    .join('');
}

/** A list of terms with their meaning. */
export function definitions(rows: readonly (readonly [term: string, meaning: string])[]): string[] {
  return rows.flatMap(([what, meaning]) => ['.TP', what, ...(meaning ? [roffText(meaning)] : [])]);
}

/**
 * The text below the options of a help page: a line with a colon above indented lines becomes a section, indented lines stay as they are, the rest is
 * filled.
 */
export function freeText(text: string): string[] {
  const blocks = text.trim() === '' ? [] : text.trim().split(/\n{2,}/u);
  return blocks.flatMap((block) => {
    const [first = '', ...rest] = block.split('\n');
    if (/:$/u.test(first) && rest.length > 0 && rest.every((line) => line.startsWith('  '))) {
      return [`.SH ${roffText(first.slice(0, -1).toUpperCase())}`, ...asItIs(rest)];
    }
    return /^ {2}/mu.test(block) ? asItIs([first, ...rest]) : ['.PP', roffText(block)];
  });
}

function asItIs(lines: readonly string[]): string[] {
  return ['.PP', '.nf', ...lines.map((line) => roffText(line.replace(/^ {2}/u, ''))), '.fi'];
}
