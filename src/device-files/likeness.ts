import { answerOf, statusOf } from './outcomes.ts';
import { DENIALS, type DeviceFile, type FileAnswer } from './schema.ts';
import {
  canBeSame,
  escapeIn,
  fillIn,
  isFormType,
  isJson,
  isXmlType,
  parseTemplate,
  type Template,
  valuesIn,
} from './template.ts';
import { comparableXml } from './xml-form.ts';

/** True when a device of the file may look at nothing but the status of a grant. */
export function opensByStatus({ answers, simulate }: DeviceFile): boolean {
  return !answers.granted.body || (simulate?.granted.every(({ status }) => status) ?? false);
}

/** True when a device of `opened` can take a denial of `denier` for its grant. */
function canOpen(denier: DeviceFile, opened: DeviceFile): boolean {
  const { granted } = opened.answers;
  return DENIALS.some((name) => {
    const denial = answerOf(denier, name) ?? {};
    if (statusOf(denial, name) !== statusOf(granted, 'granted')) return false;
    return opensByStatus(opened) || areAlike(granted, denial);
  });
}

/** Of these files, those whose denials no device of the others takes for a grant. */
export function safeDeniers(files: readonly DeviceFile[]): DeviceFile[] {
  return files.filter((file) => files.every((other) => other === file || !canOpen(file, other)));
}

/** True when two answers of the same status can be the same for a device. */
export function areAlike(granted: FileAnswer, denial: FileAnswer): boolean {
  const escapes = [escapeOf(granted), escapeOf(denial)] as const;
  // Compared as text too: a member whose name contains a value would be sorted to another place.
  return [trimmedTemplateOf, readTemplateOf, jsonTemplateOf, formTemplateOf].some((read) => {
    const [one, other] = [read(granted), read(denial)];
    return one !== undefined && other !== undefined && canBeSame(one, other, escapes);
  });
}

const NOTHING_ESCAPED = { write: (value: string) => value, never: '' };
export const escapeOf = (answer: FileAnswer) =>
  escapeIn(templateOf(answer), answer.type ?? '') ?? NOTHING_ESCAPED;

export function templateOf({ body = '' }: FileAnswer): Template {
  const template = parseTemplate(body);
  return typeof template === 'string' ? [template] : template;
}

/** Numbers that occur in no file, as placeholders for values. They are valid inside and outside of a JSON string. */
const PLACE = 7_351_046_000_000;

/** Devices often ignore white space around a text. */
const trimmedTemplateOf = ({ body = '' }: FileAnswer) => templateOf({ body: body.trim() });

/** The template as its device reads it: for XML see `comparableXml`; undefined for what is read in another way. */
function readTemplateOf({ type = '', body = '' }: FileAnswer): Template | undefined {
  return isXmlType(type) ? templateOf({ body: comparableXml(body) }) : undefined;
}

/**
 * The template with spaces, the order of members and the spelling of numbers in one form, because they say nothing in JSON.
 * Undefined when it is not JSON. Devices read JSON whatever the content type is.
 */
function jsonTemplateOf(answer: FileAnswer): Template | undefined {
  const template = templateOf(answer);
  const names = [...new Set(valuesIn(template))];
  const places = Object.fromEntries(names.map((name, at) => [name, String(PLACE + at)]));
  const filled = fillIn(template, places, NOTHING_ESCAPED);
  if (!isJson(filled) || filled === '') return undefined;
  const named = names.reduce(
    (one, name, at) => one.replaceAll(`${PLACE + at}`, `{{${name}}}`),
    sortedJson(JSON.parse(filled)),
  );
  return templateOf({ body: named });
}

/** The fields of a form, decoded and sorted, without empty ones. */
function formTemplateOf({ type = '', body = '' }: FileAnswer): Template | undefined {
  if (!isFormType(type)) return undefined;
  const fields = body
    .trim()
    .split('&')
    .filter((field) => field !== '')
    .map((field) => {
      const [name = '', ...value] = field.split('=');
      return `${spelledField(name)}=${spelledField(value.join('='))}`;
    });
  return templateOf({ body: fields.sort().join('&') });
}

/** Placeholders stay as they are. */
function spelledField(text: string): string {
  const parts = text.replaceAll('+', ' ').split(/(\{\{[^{}]*\}\})/);
  return parts.map((part, at) => (at % 2 === 1 ? part : spelledPart(part))).join('');
}

function spelledPart(part: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(part));
  } catch {
    return part;
  }
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_name, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
