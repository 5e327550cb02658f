import { isMap, isNode, isScalar, LineCounter, parseDocument, type YAMLError } from 'yaml';

/** A position in a text, counted from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Knows where the parts of a YAML or JSON text are. */
export interface YamlText {
  /** What makes the text no YAML, in words for a person; undefined when it can be used. */
  readonly issue: (Position & { readonly what: string }) | undefined;
  /** Where the value at a path begins, or the nearest one around it that exists. */
  positionOf(path: readonly PropertyKey[]): Position;
  /** Where the name of the member at a path begins; as `positionOf` where no object has that member. */
  positionOfName(path: readonly PropertyKey[]): Position;
  /** @param aliasesMax how often aliases may be resolved @throws Error for more, and for an alias of nothing */
  value(aliasesMax?: number): unknown;
}

export function readYaml(text: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const positionAt = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const positionOf = (path: readonly PropertyKey[]): Position => {
    for (let length = path.length; length > 0; length -= 1) {
      const node: unknown = document.getIn(path.slice(0, length), true);
      const start = isNode(node) ? node.range?.[0] : undefined;
      if (start !== undefined) return positionAt(start);
    }
    return positionAt(document.contents?.range?.[0] ?? 0);
  };
  const [error] = document.errors;
  return {
    issue: error && { ...positionAt(error.pos[0]), what: inWords(error) },
    positionOf,
    positionOfName(path) {
      const around = document.getIn(path.slice(0, -1), true);
      const names = isMap(around) ? around.items.map(({ key }) => key) : [];
      const name = names.find((one) => isScalar(one) && String(one.value) === path.at(-1));
      const start = isScalar(name) ? name.range?.[0] : undefined;
      return start === undefined ? positionOf(path) : positionAt(start);
    },
    value: (aliasesMax) =>
      document.toJS(aliasesMax === undefined ? {} : { maxAliasCount: aliasesMax }),
  };
}

function inWords({ code, message }: YAMLError): string {
  if (code === 'MULTIPLE_DOCS')
    return 'a second document (---) begins here; put it into a file of its own';
  if (code === 'RESOURCE_EXHAUSTION') return 'it is nested too deeply';
  return `not valid YAML: ${message.split('\n')[0]?.split(' at line ')[0]}`;
}
