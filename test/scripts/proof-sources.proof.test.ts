import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { changedProofs, passedIn, passedProofs } from '../../scripts/proofs/passed.ts';
import { OF_TOOLS, PROOFS, ProofSources } from '../../scripts/proofs/sources.ts';
import { ABOUT, subjectsOf } from '../../scripts/proofs/subjects.ts';

const sources = new ProofSources();

test.each([
  ['contract/transfer', ['src/stores/sqlite/sqlite-worker.ts', 'src/core/ticket.ts']],
  ['mutants/two-faults', ['test/mutants/found.json', 'src/check/index.ts', 'src/kit/random.ts']],
  ['prove/planted-bugs', ['prove/planted/bugs.ts', 'prove/planted/catch-bug.ts']],
  ['mint/rows/read-rows', ['src/tickets/lists/read-rows.ts', 'src/core/folded-text.ts']],
  ['dashboard/scan', ['src/dashboard/main.tsx', 'scripts/build-dashboard.ts', 'src/cli/main.ts']],
  ['testing/examples', ['examples/node-test/gate.test.js']],
  ['docs/schemas', ['docs/schemas/check-report.schema.json', 'src/cli/main.ts']],
  ['check/pipelines', ['action.yml', 'ci/gitlab.yml']],
])('the proof %s depends on what it imports, runs and reads', (proof, wanted) => {
  const files = sources.filesOf(`test/${proof}.proof.test.ts`);
  expect(files).toEqual(expect.arrayContaining(wanted));
  expect(files).toEqual(expect.arrayContaining(['package-lock.json', 'vitest.config.ts']));
});

test.each([
  ['mutants/variants', 'src/dashboard/main.tsx'],
  ['mutants/variants', 'src/stores/sqlite/sqlite-worker.ts'],
  ['prove/model', 'src/check/index.ts'],
  ['stores/postgres/late-commit', 'src/tickets/lists/read-rows.ts'],
  ['prove/planted-bugs', 'src/dashboard/main.tsx'],
  ['scripts/kept-types', 'src/core/decision.ts'],
])('the proof %s does not depend on %s', (proof, other) => {
  expect(sources.filesOf(`test/${proof}.proof.test.ts`)).not.toContain(other);
});

test('every proof depends on its own file, and those that start the program on all sources', () => {
  expect(PROOFS.length).toBeGreaterThan(100);
  const files = new Map(PROOFS.map((proof) => [proof, new Set(sources.filesOf(proof))]));
  const dependsOn = (proof: string, file: string) => files.get(proof)?.has(file) === true;
  expect(PROOFS.filter((proof) => !dependsOn(proof, proof))).toEqual([]);
  // A record of what passed would else make itself old.
  const record = 'scripts/release/verify/verified.json';
  expect(PROOFS.filter((proof) => dependsOn(proof, record))).toEqual([]);
  // Every change of a source would else change what each proof depends on, and every package that somebody installs.
  const built = [...files.values()].flatMap((found) =>
    [...found].filter((file) => file.startsWith('dist/') || file.includes('node_modules/')),
  );
  expect(built).toEqual([]);
  expect(PROOFS).toEqual(expect.arrayContaining(Object.keys(OF_TOOLS)));
  const ofProgram = PROOFS.filter((proof) => dependsOn(proof, 'bin/ticketscan.js'));
  expect(ofProgram.length).toBeGreaterThan(60);
  // A planted bug is built anew from what it is planted in.
  const ofAll = ofProgram.filter((proof) => !proof.includes('planted-bugs'));
  expect(ofAll.filter((proof) => !dependsOn(proof, 'src/tickets/files.ts'))).toEqual([]);
});

test('a proof runs again when its sum differs from each that is noted, and when none is', () => {
  const passed = passedIn('an aw test/a.ts\nbn bw test/b.ts\nbx by test/b.ts\n<<<<<<< broken\n\n');
  const sums = new Map([
    ['test/a.ts', { near: 'an', whole: 'changed' }],
    ['test/b.ts', { near: 'bx', whole: 'by' }],
    ['test/c.ts', { near: 'cn', whole: 'cw' }],
  ]);
  expect(changedProofs(sums, passed, 'near')).toEqual(['test/c.ts']);
  expect(changedProofs(sums, passed, 'whole')).toEqual(['test/a.ts', 'test/c.ts']);
});

test.each([
  ['core/decision.ts', 'prove/power-cut', 'mutants/found-in-rules'],
  ['stores/sqlite/sqlite-worker.ts', 'stores/formats', 'check/key-changes'],
  ['check/index.ts', 'mutants/found-in-rules', 'prove/power-cut'],
  ['dashboard/main.tsx', 'dashboard/every-page', 'mint/cli/decode'],
  ['tickets/lists/read-rows.ts', 'mint/cli/decode', 'dashboard/every-page'],
])('src/%s is what %s is about, and not %s', (file, near, other) => {
  const filesOf = (proof: string) => sources.nearFilesOf(`test/${proof}.proof.test.ts`);
  expect(filesOf(near)).toContain(`src/${file}`);
  expect(filesOf(other)).not.toContain(`src/${file}`);
  // The way through the whole program is proven with each change of it.
  expect(filesOf('e2e/first-minute')).toContain(`src/${file}`);
});

test('the table says of each proof what it is about, and names nothing that is not there', () => {
  for (const proof of PROOFS) expect(() => subjectsOf(proof)).not.toThrow();
  for (const beginning of Object.keys(ABOUT))
    expect(PROOFS.filter((proof) => proof.startsWith(beginning))).not.toEqual([]);
  for (const folder of Object.values(ABOUT).flat()) expect(existsSync(folder)).toBe(true);
  for (const proof of PROOFS) expect(sources.nearFilesOf(proof)).toContain(proof);
});

test('a proof has passed when all of its tests ran and passed', () => {
  const result = (name: string, ...states: string[]) => ({
    name: `${process.cwd()}/${name}`,
    status: states.includes('failed') ? 'failed' : 'passed',
    assertionResults: states.map((status) => ({ status })),
  });
  const testResults = [
    result('test/a.ts', 'passed', 'passed'),
    result('test/b.ts', 'passed', 'failed'),
    result('test/c.ts', 'passed', 'skipped'),
    result('test/d.ts'),
  ];
  expect(passedProofs({ testResults } as never)).toEqual(['test/a.ts']);
});
