import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { TEXTS } from '../../src/dashboard/i18n/texts.ts';

/** What is done to objects whose sources make the act of two parts, such as `phone.${what}`. */
const IN_PARTS: Readonly<Record<string, readonly string[]>> = {
  'access-token': ['create', 'delete'],
  account: ['create', 'change', 'delete'],
  phone: ['pair', 'revoke'],
  webhook: ['create', 'edit', 'delete'],
};

const sources = ['src/features', 'src/serve'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8')),
);

function found(pattern: RegExp): string[] {
  const all = sources.flatMap((source) => [...source.matchAll(pattern)].map(([, act = '']) => act));
  return [...new Set(all)].sort();
}

test('every act of the audit log has words of its own in both languages', () => {
  const whole = found(/(?:\bact: |[#.]auditEntry\(\s*)'([a-z-]+\.[a-z_-]+)'/gu);
  expect(whole.length).toBeGreaterThan(20);
  expect(found(/\bact: `([a-z-]+)\.\$\{what\}`/gu)).toEqual(Object.keys(IN_PARTS));
  const inParts = Object.entries(IN_PARTS).flatMap(([what, done]) =>
    done.map((one) => `${what}.${one}`),
  );
  for (const act of [...whole, ...inParts]) {
    expect(TEXTS.en.acts[act], act).toMatch(/^[A-Z]\w.{4,}$/u);
    expect(TEXTS.de.acts[act], act).toMatch(/^[A-Z]\w.{4,}$/u);
    expect(TEXTS.de.acts[act], act).not.toBe(TEXTS.en.acts[act]);
  }
});
