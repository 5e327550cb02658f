#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const program = new URL('../dist/main.js', import.meta.url);

if (Number(process.versions.node.split('.')[0]) < 24) {
  process.stderr.write(
    `ticketscan needs Node 24 or newer; this is ${process.version}.\n` +
      'In a checkout, run it as "npx ticketscan …": npm ci has put a current Node there.\n',
  );
  process.exitCode = 2;
} else if (!existsSync(program)) {
  process.stderr.write('ticketscan is not built yet. Run: npm run build\n');
  process.exitCode = 2;
} else {
  module.enableCompileCache?.();
  await import(program.href);
}
