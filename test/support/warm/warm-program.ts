import { subscribe } from 'node:diagnostics_channel';
import module from 'node:module';
import { createServer, type Socket } from 'node:net';
import { Readable, Writable } from 'node:stream';
import { type Command, PROGRAM, type Ran } from './command.ts';

/**
 * The built program, kept running: it runs one command after another, each as a process of its own would, and spares the
 * start. Node counts as ended what has nothing left to do (`beforeExit`), and so does this. Started with the path of its socket.
 */
const MAIN = new URL('../../../dist/main.js', import.meta.url).href;
/** Node's code for a module that waits for what never comes. */
const UNSETTLED = 13;

module.enableCompileCache();

let runs = 0;
/** Whom the running command is for, and how it ends. */
let running: { readonly client: Socket; readonly finish: () => void } | undefined;

/** What ends with a process though it does not keep it running: a timer that repeats, a connection that is kept for later. */
const left = new Set<{ [Symbol.dispose](): void }>();
globalThis.setTimeout = noted(setTimeout);
globalThis.setInterval = noted(setInterval);
subscribe('net.client.socket', (message) => {
  const { socket } = message as { socket: Socket };
  left.add({ [Symbol.dispose]: () => socket.destroy() });
});

const server = createServer((client) => {
  if (running !== undefined) return void client.end();
  running = { client, finish: () => undefined };
  let text = '';
  // The test has ended, or was ended: so is the command. The parent starts another program.
  client.on('close', () => running?.client === client && process.exit());
  client.on('error', () => undefined);
  client.write('ready');
  client.setEncoding('utf8').on('data', (part: string) => {
    text += part;
    if (text.endsWith('\n')) run(client, JSON.parse(text) as Command);
  });
});
process.on('beforeExit', () => running?.finish());
// After this the parent hears nothing more: an open channel would keep each command running.
server.listen(process.argv[2], () => process.send?.('listening', () => process.disconnect?.()));

function run(client: Socket, { args, cwd, env }: Command): void {
  const streams = { stdout: new Collector(), stderr: new Collector(), stdin: Readable.from([]) };
  for (const [name, value] of Object.entries(streams))
    Object.defineProperty(process, name, { configurable: true, value });
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.chdir(cwd);
  process.argv = [process.execPath, PROGRAM, ...args];
  process.exitCode = undefined;
  let isSettled = false;
  const finish = () => {
    const code = isSettled ? Number(process.exitCode ?? 0) : UNSETTLED;
    running = undefined;
    for (const one of left) one[Symbol.dispose]();
    left.clear();
    process.exitCode = undefined;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(signal);
    server.ref();
    const ran: Ran = { code, out: streams.stdout.text(), err: streams.stderr.text() };
    client.ref().end(JSON.stringify(ran));
  };
  running = { client, finish };
  // What keeps the process alive from here on is the command.
  server.unref();
  client.unref();
  runs += 1;
  // The module runs anew for each query; what it imports is loaded already.
  void import(`${MAIN}?run=${runs}`).then(() => {
    isSettled = true;
  });
}

function noted<Start extends typeof setTimeout | typeof setInterval>(start: Start): Start {
  const noting = (...args: Parameters<Start>) => {
    const timer = start(...(args as [() => void]));
    left.add(timer);
    return timer;
  };
  return Object.assign(noting, start) as Start;
}

class Collector extends Writable {
  readonly #parts: Buffer[] = [];

  override _write(part: Buffer, _: BufferEncoding, done: () => void): void {
    this.#parts.push(part);
    done();
  }

  text(): string {
    return Buffer.concat(this.#parts).toString();
  }
}
