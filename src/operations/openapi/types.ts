/** The part of JSON Schema that is written by hand here. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly anyOf?: readonly Schema[];
}

/** The part of OpenAPI 3.1 that is used here. */
export interface OpenApiDocument {
  readonly servers: readonly { readonly url: string }[];
  readonly components?: {
    readonly schemas?: Readonly<Record<string, Schema>>;
  };
  readonly paths?: Paths;
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

export interface Operation {
  readonly tags?: readonly string[];
  readonly operationId?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: Body;
  readonly responses?: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

export interface Body {
  readonly required?: boolean;
  readonly content: Content;
}

export interface Response {
  readonly description: string;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, { readonly schema?: Schema }>>;
