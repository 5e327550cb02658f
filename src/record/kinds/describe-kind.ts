import type { FieldReport, RequestKind } from './request-kinds.ts';

const EXAMPLE_CHARACTERS_MAX = 44;

/** Heads of the columns of `kindRows`. */
export const KIND_HEADS = ['field', 'in', 'type', 'example', 'looks like', 'over time'] as const;

/** One line that says what kind of request this is. */
export function kindTitle({ model, method, path }: RequestKind): string {
  if (model === 'unknown') return `Unknown device: ${method} ${path}`;
  return model === 'rest'
    ? `Software: ${method} ${path}`
    : `Device model ${model}: ${method} ${path}`;
}

/** A table of the fields, one a row. */
export function kindRows({ fields }: RequestKind): string[][] {
  return fields.map(fieldRow);
}

function fieldRow({ name, place, type, example, looksLike, changes }: FieldReport): string[] {
  const shown =
    example.length > EXAMPLE_CHARACTERS_MAX
      ? `${example.slice(0, EXAMPLE_CHARACTERS_MAX)}…`
      : example;
  return [name === '' ? '(all of it)' : name, place, type, shown, looksLike, changes ?? ''];
}
