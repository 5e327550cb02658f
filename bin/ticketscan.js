#!/usr/bin/env node
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
    const advice = import.meta.url.includes('/node_modules/')
      ? 'In a project, "npm i -D node@26" puts a current Node there, which "npx ticketscan …" then uses.'
      : 'In a checkout, run it as "npx ticketscan …": npm ci has put a current Node there.';
    return refuse(`${error.message}\n${advice}`);
  }
  // Imported, they would read all their members: 5 ms of each start.
  const { existsSync } = process.getBuiltinModule('node:fs');
  const { enableCompileCache } = process.getBuiltinModule('node:module');
  if (!existsSync(program)) return refuse('ticketscan is not built yet. Run: npm run build');
  enableCompileCache();
  await import(program.href);
}

await start();
