import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type CliFolder, PROGRAM } from './cli.ts';

/** Runs a command on a terminal of its own (`script` of util-linux), and answers its question. */
export async function onTerminal(folder: CliFolder, args: readonly string[], answer: string) {
  const line = [process.execPath, PROGRAM, ...args].map((one) => `'${one}'`).join(' ');
  const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: folder.path });
  let shown = '';
  child.stdout.on('data', (chunk) => {
    shown += chunk;
    if (/\/N\] |Password: /.test(shown) && child.stdin.writable) child.stdin.end(answer);
  });
  const [code] = await once(child, 'close');
  return { code, shown };
}
