import { jsonRecord, parsedJson } from '../kit/json-text.ts';
import { answerOf, filled, statusOf } from './outcomes.ts';
import {
  DENIALS,
  type DeviceFile,
  type FileCondition,
  type FileSource,
  isNumber,
  type Problem,
  type Step,
  type WrittenFile,
} from './schema.ts';
import { Condition, type Message, Source } from './source.ts';
import { isPlainText, parseTemplate, valuesIn } from './template.ts';

/** An answer as the conditions of a file look at it. */
export function answerMessage(status: number, text: string): Message {
  return { status, text, isJson: jsonRecord(text) !== undefined };
}

/** Says of an answer whether it opens the door of the device of a file. */
export function openerOf({ opensWhen }: Pick<DeviceFile, 'opensWhen'>) {
  const conditions = opensWhen.map((one) => new Condition(one));
  return (answer: Message): boolean => conditions.every((one) => one.holds(answer));
}

/**
 * What opens where a file does not say it: the status of a grant, if no denial has it, or its text, if that is plain and has no
 * values. Undefined where neither is so.
 */
export function usualOpening(file: WrittenFile): FileCondition[] | undefined {
  const { granted } = file.answers;
  const byStatus = { status: true, equals: statusOf(granted, 'granted') } as const;
  const isOwn = DENIALS.every(
    (name) => statusOf(answerOf(file, name) ?? {}, name) !== byStatus.equals,
  );
  if (isOwn) return [byStatus];
  const { body = '', type = '' } = granted;
  const template = parseTemplate(body);
  if (body.trim() === '' || !isPlainText(template, type) || valuesIn(template).length > 0)
    return undefined;
  return [byStatus, { text: true, decode: ['trim'], equals: body.trim() }];
}

type Values = Readonly<Record<string, string>>;

/** No denial may open the door and each grant must, whatever the values are; so no value may decide. */
export function wrongOpening(file: DeviceFile): Problem[] {
  const opens = openerOf(file);
  const sets = valueSets(file, file.opensWhen);
  const opened = DENIALS.filter((name) => answersTo(file, name, sets).some(opens)).map((name) => {
    const own = file.answers[name] ? name : 'denied';
    const what = `${own}: opensWhen holds for the answer to ${name}: the door would open`;
    return { at: ['answers', own], what };
  });
  const grants = answersTo(file, 'granted', sets);
  const decided = file.opensWhen.flatMap((condition, index) => {
    const source = new Source(condition);
    const found = new Set(grants.map((grant) => source.valueIn(grant)));
    const what = 'what opens must be the same in every grant: a {{value}} decides here';
    return found.size > 1 ? [{ at: ['opensWhen', index], what }] : [];
  });
  const shut = {
    at: ['answers', 'granted'],
    what: 'granted: opensWhen does not hold for it: the door would stay shut',
  };
  const firsts = opened.filter(
    ({ at }, index) => opened.findIndex((one) => one.at[1] === at[1]) === index,
  );
  const problems = [...firsts, ...decided];
  if (problems.length === 0 && !grants.every(opens)) problems.push(shut);
  return problems;
}

/** Of these files, those whose denials open no door of the others. */
export function safeDeniers(files: readonly DeviceFile[]): DeviceFile[] {
  return files.filter((file) => files.every((other) => other === file || !canOpen(file, other)));
}

function canOpen(denier: DeviceFile, opened: DeviceFile): boolean {
  const opens = openerOf(opened);
  const sets = valueSets(denier, opened.opensWhen);
  return DENIALS.some((name) => answersTo(denier, name, sets).some(opens));
}

/** True when every answer with status 200 at the Card URL opens the door, whatever its body. */
export function opensAtAny200(file: DeviceFile): boolean {
  const asksThere = file.requests.some(({ kind, path }) => kind === 'scan' && path === undefined);
  const byStatus = file.opensWhen.every(({ status }) => status);
  return asksThere && byStatus && openerOf(file)(answerMessage(200, ''));
}

/** An answer with each of the values; JSON also in the spelling that all with its meaning share. */
function answersTo(
  file: DeviceFile,
  outcome: 'granted' | (typeof DENIALS)[number],
  sets: readonly Values[],
): Message[] {
  const answer = answerOf(file, outcome) ?? {};
  const status = statusOf(answer, outcome);
  const texts = sets.map((values) => filled(answer, values));
  const respelled = texts.map(parsedJson).map((json) => JSON.stringify(json));
  const all = new Set([...texts, ...respelled.filter((one) => one !== undefined)]);
  return [...all].map((text) => answerMessage(status, text));
}

/** Characters that end a text in formats that do not escape them. */
const NASTY = '"\\<&>\'=\u0001';

/** The values that an answer can have at worst: plain ones, those that end a text, and what the conditions ask for. */
export function valueSets(file: WrittenFile, opensWhen: readonly FileCondition[] = []): Values[] {
  const asked = opensWhen.flatMap(({ equals, decode = [] }) =>
    equals === undefined ? [] : [equals].flat().map((one) => encoded(String(one), decode)),
  );
  const { in: inwards = 'in', out: outwards = 'out' } = file.relay ?? {};
  return [
    valuesOf(file, { text: 'Ada', number: '1', relay: inwards }),
    valuesOf(file, { text: NASTY, number: '-7', relay: outwards }),
    ...asked.map((one) =>
      valuesOf(file, { text: one, number: isNumber(one) ? one : '2', relay: outwards }),
    ),
  ];
}

function valuesOf(
  { values = {} }: WrittenFile,
  { text, number, relay }: { text: string; number: string; relay: string },
): Values {
  const own = Object.entries(values).map(([name, { as }]) => [
    name,
    as === 'number' ? number : text,
  ]);
  const count = number.replace('-', '');
  const usual = { name: text, note: text, used: count, allowed: count, seconds: count, relay };
  return { ...usual, ...Object.fromEntries(own) };
}

/** A text that decodes to `value`. */
function encoded(value: string, decode: NonNullable<FileSource['decode']>): string {
  return decode.reduceRight((text, step) => encodedBy(text, step), value);
}

function encodedBy(text: string, step: Step): string {
  if (typeof step === 'object') return 'after' in step ? step.after + text : text + step.before;
  if (step === 'base64' || step === 'base64url' || step === 'hex')
    return Buffer.from(text).toString(step);
  return step === 'percent' ? encodeURIComponent(text) : text;
}
