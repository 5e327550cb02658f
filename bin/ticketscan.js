#!/usr/bin/env node
import { existsSync } from 'node:fs';
import module from 'node:module';

const file = process.argv[2] === 'serve' ? 'serve.js' : 'main.js';
const program = new URL(`../dist/${file}`, import.meta.url);

function refuse(message) {
  process.stderr.write(`${message}\n`);
  process.exitCode = 2;
}

async function start() {
  try {
    await import('./supported-node.cjs');
  } catch (error) {
    return refuse(
      `${error.message}\nIn a checkout, run it as "npx ticketscan …": npm ci has put a current Node there.`,
    );
  }
  if (!existsSync(program)) return refuse('ticketscan is not built yet. Run: npm run build');
  module.enableCompileCache?.();
  await import(program.href);
}

await start();
