import { escapeMarkup } from '../../../kit/markup.ts';
import { anchor } from './markup.ts';

/** The part of JSON Schema that our schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

/** A schema in words, as HTML on one line: `array of Ticket`, `integer, 1 to 1000, default 100`. */
export function typeText(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? '';
    return `<a href="#${anchor('schema', name)}">${escapeMarkup(name)}</a>`;
  }
  if (schema.anyOf) return schema.anyOf.map(typeText).join(' or ');
  const values = schema.const !== undefined ? [schema.const] : schema.enum;
  if (values)
    return values.map((one) => `<code>${escapeMarkup(JSON.stringify(one))}</code>`).join(', ');
  if (schema.type === 'array')
    return `array of ${typeText(schema.items ?? {})}${limitsText(schema)}`;
  if (schema.properties) return `object ${propertyNames(schema)}`;
  const type =
    schema.format === 'date-time' ? 'time' : [schema.type ?? 'anything'].flat().join(' or ');
  return `${escapeMarkup(type)}${limitsText(schema)}`;
}

function propertyNames({ properties = {} }: Schema): string {
  const names = Object.entries(properties).map(
    ([name, schema]) => `<code>${escapeMarkup(name)}</code>: ${typeText(schema)}`,
  );
  return `{ ${names.join(', ')} }`;
}

const UNLIMITED = Number.MAX_SAFE_INTEGER;

function limitsText(schema: Schema): string {
  const units = schema.type === 'string' ? ' characters' : schema.type === 'array' ? ' items' : '';
  const least = schema.minimum ?? schema.minLength ?? schema.minItems;
  const most = schema.maximum ?? schema.maxLength ?? schema.maxItems;
  const parts: string[] = [];
  const isBounded = most !== undefined && most < UNLIMITED;
  if (least !== undefined && least > -UNLIMITED && isBounded)
    parts.push(`${least} to ${most}${units}`);
  else if (least !== undefined && least > -UNLIMITED) parts.push(`at least ${least}${units}`);
  else if (isBounded) parts.push(`at most ${most}${units}`);
  if (schema.default !== undefined)
    parts.push(`default ${escapeMarkup(JSON.stringify(schema.default))}`);
  return parts.map((part) => `, ${part}`).join('');
}

/** The members of an object as rows of a table; empty for what is no object. */
export function memberRows({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const must = required.includes(name) ? 'required' : '';
      const about = escapeMarkup(schema.description ?? '');
      return `<tr><td><code>${escapeMarkup(name)}</code></td><td>${typeText(schema)}</td><td>${must}</td><td>${about}</td></tr>`;
    })
    .join('');
}
