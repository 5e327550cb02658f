import type * as z from 'zod';
import type { Body, Content, Response, Schema } from './types.ts';

/** A schema that is registered with an id, and the media type in which it travels. */
export interface Part {
  readonly type: string;
  readonly schema: z.ZodType;
}

/** A body in JSON. */
export function inJson(schema: z.ZodType): Part {
  return { type: 'application/json', schema };
}

/** A body that is sent to the service, in one of these forms. */
export function bodyOf(parts: readonly Part[]): Body {
  return { required: true, content: contentOf(parts, 'Input') };
}

/** An answer, in one of these forms. */
export function answerOf(description: string, parts: readonly Part[]): Response {
  return { description, content: contentOf(parts, '') };
}

/** Schemas of one media type are alternatives. `suffix` is what the framework appends to the ids of requests. */
function contentOf(parts: readonly Part[], suffix: 'Input' | ''): Content {
  const byType = Map.groupBy(parts, ({ type }) => type);
  const content = [...byType].map(([type, alternatives]) => {
    const anyOf = alternatives.map(({ schema }) => refTo(schema, suffix));
    const [only] = anyOf;
    return [type, { schema: anyOf.length === 1 && only ? only : { anyOf } }];
  });
  return Object.fromEntries(content);
}

function refTo(schema: z.ZodType, suffix: string): Schema {
  const { id } = schema.meta() ?? {};
  if (id === undefined) throw new Error('a schema of the OpenAPI document has no id');
  return { $ref: `#/components/schemas/${id}${suffix}` };
}
