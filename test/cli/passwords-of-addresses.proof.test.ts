import { afterAll, describe, expect, test } from 'vitest';
import { InProcess } from '../support/in-process.ts';
import { LOCAL, SECRET } from './support/forms-with-passwords.ts';
import { leavesOf } from './support/leaves.ts';

/** A server ends here as soon as it has begun. */
const folder = new InProcess(AbortSignal.abort());
afterAll(() => folder[Symbol.asyncDispose]());

/** Commands that open a store, or ask for more than its address. */
const PLACES: readonly (readonly [
  string,
  (form: string) => Promise<{ out: string; err: string }>,
])[] = [
  ['doctor', (form) => folder.run(['doctor', '--store', form])],
  ['doctor, as JSON', (form) => folder.run(['doctor', '--json', '--store', form])],
  ['serve', (form) => folder.run(['serve', '--port', '0', '--store', form])],
  ['store copy', (form) => folder.run(['store', 'copy', form, form])],
];

describe.each(PLACES)('the password of a store in the %s', (_, run) => {
  test('is not printed', async () => {
    for (const form of LOCAL) {
      const { out, err } = await run(form);
      expect(out + err, form).not.toMatch(SECRET);
    }
  });
});

const takesAddress = (usage: string) => /(?:url|address|target|place|endpoint)\b/i.test(usage);

/** Every command and each of its options and arguments that takes an address, with forms that nothing connects to. */
const SWEPT = ['u:Hunter2@h/db', 'http;//u:Hunter2@h', 'host=h password=Hunter2'];
/** Where only an address is meant, not the name of a file or of a host. */
const formsFor = (line: readonly string[]) =>
  line.some((word) => /^--(?:store|url|.*-url|endpoint)$/.test(word))
    ? [...SWEPT, 'u:Hunter2']
    : SWEPT;
const leaves = (await leavesOf()).filter(({ name }) => !/^service|^demo|^completion/.test(name));
const lines = leaves.flatMap(({ name, command }) => {
  const needed = command.options
    .filter((option) => option.mandatory)
    .flatMap(({ long, argChoices }) => [long ?? '', argChoices?.[0] ?? 'x']);
  const required = command.registeredArguments.filter((one) => one.required);
  const words = name.split(' ');
  const options = command.options
    .filter(({ flags }) => takesAddress(flags))
    .map(({ long }) => [...words, ...required.map(() => 'x'), ...needed, long ?? '', 'FORM']);
  const isAddressed = command.registeredArguments.some((one) => takesAddress(one.name()));
  return isAddressed ? [...options, [...words, ...required.map(() => 'FORM'), ...needed]] : options;
});

test('every command that takes an address is tried', () => {
  expect(lines.length).toBeGreaterThan(100);
});

test.each(lines.map((line): [string, string[]] => [line.join(' '), line]))(
  '%s prints no password',
  async (_, line) => {
    for (const form of formsFor(line)) {
      const { out, err } = await folder.run(line.map((word) => (word === 'FORM' ? form : word)));
      expect(out + err, form).not.toMatch(SECRET);
    }
  },
);
