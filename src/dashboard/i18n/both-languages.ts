/** One text in each language. */
export type Pair = readonly [english: string, german: string];

/** A pair whose texts are too long for one line: the English line, and below it the German one. */
export function both(parts: TemplateStringsArray, ...values: readonly unknown[]): Pair {
  const texts = ['', ''] as [string, string];
  let language = 0;
  for (const [index, part] of parts.entries()) {
    for (const [line, text] of part.split(/\n\s*/u).entries()) {
      if (line > 0) language += 1;
      texts[language] += text;
    }
    texts[language] += index < values.length ? String(values[index]) : '';
  }
  return texts;
}

/** Texts by name. One that is the same in both languages stands alone. */
export interface Table {
  readonly [name: string]: string | Pair | readonly Pair[] | ((...values: never[]) => Pair) | Table;
}

/** A table as one language has it. */
export type Told<T> = T extends string | Pair
  ? string
  : T extends (...values: infer Values) => Pair
    ? (...values: Values) => string
    : { readonly [Name in keyof T]: Told<T[Name]> };

/** @param language its place in each pair */
export function told<T extends object>(table: T, language: 0 | 1): Told<T> {
  const texts = Object.entries(table).map(([name, text]) => [name, toldOf(text, language)]);
  return Object.fromEntries(texts) as Told<T>;
}

function toldOf(text: Table[string], language: 0 | 1): unknown {
  if (typeof text === 'string') return text;
  if (typeof text === 'function') return (...values: never[]) => text(...values)[language];
  if (!Array.isArray(text)) return told(text, language);
  return typeof text[0] === 'string' ? text[language] : text.map((pair: Pair) => pair[language]);
}
