import ts from 'typescript';

type Schema = Record<string, unknown>;

/** A type of the program: its file and name, exported or not. */
export interface TypeSource {
  readonly file: string;
  readonly name: string;
}

interface Options {
  /** True for what people write: other members are mistakes, and members that begin with `//` comments. */
  readonly isInput?: boolean;
  /** The types of such an input that take other members as well. */
  readonly openTypes?: readonly string[];
}

/**
 * Makes JSON Schemas of types, so that a schema says what the program reads and writes and cannot age. Comments become descriptions.
 * @throws Error for a type that JSON cannot hold, such as a function
 */
export class TypeSchemas {
  readonly #program: ts.Program;
  readonly #checker: ts.TypeChecker;

  constructor(files: readonly string[]) {
    const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
    this.#program = ts.createProgram(files, options);
    this.#checker = this.#program.getTypeChecker();
  }

  /** @param sources several are alternatives */
  schemaOf(title: string, sources: readonly TypeSource[], options: Options = {}): Schema {
    const defs: Record<string, Schema> = {};
    const writer = new SchemaWriter(this.#checker, defs, options);
    const all = sources.map((source) => writer.membersOf(this.#typeOf(source), source.name));
    const [first] = all;
    return {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title,
      ...(all.length === 1 ? first : { anyOf: all }),
      ...(Object.keys(defs).length > 0 && { $defs: defs }),
    };
  }

  #typeOf({ file, name }: TypeSource): ts.Type {
    for (const statement of this.#program.getSourceFile(file)?.statements ?? []) {
      const isType = ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement);
      if (isType && statement.name.text === name)
        return this.#checker.getTypeAtLocation(statement.name);
    }
    throw new Error(`${file} has no type ${name}.`);
  }
}

class SchemaWriter {
  readonly #checker: ts.TypeChecker;
  readonly #defs: Record<string, Schema>;
  readonly #options: Options;
  /** Those whose schema is being made or is there: a type may contain itself. */
  readonly #names = new Map<ts.Type, string>();

  constructor(checker: ts.TypeChecker, defs: Record<string, Schema>, options: Options) {
    this.#checker = checker;
    this.#defs = defs;
    this.#options = options;
  }

  /** The schema of a type itself, not a reference to it. */
  membersOf(type: ts.Type, path: string): Schema {
    if (type.isUnion()) return this.#union(type.types, path);
    const index = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (index) return { type: 'object', additionalProperties: this.#schema(index, path) };
    const members = this.#checker.getPropertiesOfType(type);
    const isThere = (one: ts.Symbol) => (one.flags & ts.SymbolFlags.Optional) === 0;
    const { isInput, openTypes = [] } = this.#options;
    const isClosed = isInput && !openTypes.includes(nameOf(type) ?? '');
    const required = members.filter(isThere).map(({ name }) => name);
    return {
      type: 'object',
      properties: Object.fromEntries(members.map((one) => [one.name, this.#member(one, path)])),
      ...(required.length > 0 && { required }),
      ...(isClosed && { patternProperties: { '^//': {} }, additionalProperties: false }),
    };
  }

  #member(symbol: ts.Symbol, path: string): Schema {
    const type = this.#checker.getTypeOfSymbol(symbol);
    const comment = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker));
    const schema = this.#schema(type, `${path}.${symbol.name}`);
    return comment === '' ? schema : { ...schema, description: comment.replaceAll(/\s+/g, ' ') };
  }

  #schema(type: ts.Type, path: string): Schema {
    const simple = simpleSchema(type);
    if (simple) return simple;
    if (type.isUnion()) return this.#union(type.types, path);
    if (this.#checker.isTupleType(type) || this.#checker.isArrayType(type)) {
      const items = this.#checker.getTypeArguments(type as ts.TypeReference);
      return { type: 'array', items: this.#union(items, path) };
    }
    if (type.getCallSignatures().length > 0) throw new Error(`${path} is a function.`);
    const name = nameOf(type);
    return name === undefined ? this.membersOf(type, path) : this.#reference(type, name, path);
  }

  #reference(type: ts.Type, wanted: string, path: string): Schema {
    let name = this.#names.get(type);
    if (name === undefined) {
      const taken = new Set(this.#names.values());
      name = wanted;
      for (let count = 2; taken.has(name); count += 1) name = `${wanted}${count}`;
      this.#names.set(type, name);
      this.#defs[name] = this.membersOf(type, path);
    }
    return { $ref: `#/$defs/${name}` };
  }

  #union(types: readonly ts.Type[], path: string): Schema {
    const present = types.filter(({ flags }) => (flags & ts.TypeFlags.Undefined) === 0);
    const texts = present.flatMap((one) => (one.isStringLiteral() ? [one.value] : []));
    const isFlag = ({ flags }: ts.Type) => (flags & ts.TypeFlags.BooleanLiteral) !== 0;
    const flags = present.filter(isFlag);
    const others = present.filter((one) => !one.isStringLiteral() && !flags.includes(one));
    const schemas = [
      ...(texts.length > 0 ? [{ enum: texts }] : []),
      ...(flags.length === 2 ? [{ type: 'boolean' }] : flags.flatMap(simpleSchema)),
      ...others.map((one) => this.#schema(one, path)),
    ];
    const [only = {}] = schemas;
    return schemas.length === 1 ? (only as Schema) : { anyOf: schemas };
  }
}

/** Undefined for a union, an array and an object. */
function simpleSchema(type: ts.Type): Schema | undefined {
  const { flags } = type;
  if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
  if (flags & ts.TypeFlags.BooleanLiteral)
    return { const: (type as ts.Type & { intrinsicName: string }).intrinsicName === 'true' };
  if (flags & ts.TypeFlags.StringLike) return { type: 'string' };
  if (flags & ts.TypeFlags.NumberLike && !type.isUnion()) return { type: 'number' };
  if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
  if (flags & ts.TypeFlags.Null) return { type: 'null' };
  if (flags & (ts.TypeFlags.Unknown | ts.TypeFlags.Any)) return {};
  return undefined;
}

/** The name that the program gives an object type; undefined for one that is written in place or made by a generic one. */
function nameOf(type: ts.Type): string | undefined {
  if (type.aliasSymbol) return type.aliasTypeArguments ? undefined : type.aliasSymbol.name;
  const name = type.symbol?.name;
  const isDeclared = (type.symbol?.flags ?? 0) & ts.SymbolFlags.Interface;
  return isDeclared ? name : undefined;
}
