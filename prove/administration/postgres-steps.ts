import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresCluster } from '../../test/support/postgres/cluster.ts';
import { postgresIfAny } from '../../test/support/postgres/schema.ts';
import { Line } from '../postgres/proxy.ts';
import { mustRun, type ProgramPlace } from '../world/program.ts';

/** A message of a program to the server. */
export interface Sent {
  readonly connection: number;
  readonly data: Buffer;
  /** How many answers each connection had by then. */
  readonly answers: readonly number[];
  /** The server acts on what it has so far: what comes before has no effect by itself. */
  readonly isEnd: boolean;
}

/** Ends a statement, or some of them. */
const ENDS = ['Q', 'S'];
const READY = 'Z'.charCodeAt(0);
const LENGTH_BYTES = 4;

/** Cuts a stream into the messages of the protocol. */
class Messages {
  #bytes = Buffer.alloc(0);
  /** The first message of a client has no type. */
  #typeBytes: number;

  constructor(from: 'client' | 'server') {
    this.#typeBytes = from === 'client' ? 0 : 1;
  }

  take(chunk: Buffer): Buffer[] {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    const taken: Buffer[] = [];
    while (this.#bytes.length >= this.#typeBytes + LENGTH_BYTES) {
      const length = this.#typeBytes + this.#bytes.readInt32BE(this.#typeBytes);
      if (this.#bytes.length < length) break;
      taken.push(this.#bytes.subarray(0, length));
      this.#bytes = this.#bytes.subarray(length);
      this.#typeBytes = 1;
    }
    return taken;
  }
}

/** Runs a command to its end, and writes down what it sends to the server. @throws Error when it fails */
export async function recordConversation(
  place: ProgramPlace,
  args: readonly string[],
): Promise<Sent[]> {
  const sent: Sent[] = [];
  const answers: number[] = [];
  const url = new URL(place.storeUrl);
  await using line = await Line.start(() => Number(url.port), url.hostname);
  const talks = new Map<object, Talk>();
  const talkOn = (wire: object): Talk => {
    const known = talks.get(wire);
    if (known) return known;
    const connection = answers.push(0) - 1;
    const talk = { connection, asked: new Messages('client'), told: new Messages('server') };
    talks.set(wire, talk);
    return talk;
  };
  line.onSent = (chunk, wire) => {
    const { connection, asked } = talkOn(wire);
    for (const data of asked.take(chunk)) {
      const isEnd = ENDS.includes(String.fromCharCode(data[0] ?? 0));
      sent.push({ connection, data, answers: [...answers], isEnd });
    }
  };
  line.onAnswered = (chunk, wire) => {
    const { connection, told } = talkOn(wire);
    answers[connection] = (answers[connection] ?? 0) + readyIn(told.take(chunk));
  };
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String(line.port);
  const asProxied = args.map((arg) => (arg === place.storeUrl ? through.href : arg));
  await mustRun({ ...place, storeUrl: through.href }, asProxied);
  return sent;
}

/** One connection of the program, with what has come of it each way. */
interface Talk {
  readonly connection: number;
  readonly asked: Messages;
  readonly told: Messages;
}

function readyIn(messages: readonly Buffer[]): number {
  return messages.filter((message) => message[0] === READY).length;
}

const PATIENCE_MS = 10_000;

/** Sends the same again, in the same order, and dies. */
export async function replay(to: string, sent: readonly Sent[]): Promise<void> {
  const url = new URL(to);
  const sockets: Socket[] = [];
  const answers: number[] = [];
  for (const { connection, data, answers: wanted } of sent) {
    await until(() => wanted.every((count, index) => (answers[index] ?? 0) >= count));
    if (!sockets[connection]) {
      const socket = connect(Number(url.port), url.hostname);
      const told = new Messages('server');
      answers[connection] = 0;
      socket.on('data', (chunk: Buffer) => {
        answers[connection] = (answers[connection] ?? 0) + readyIn(told.take(chunk));
      });
      sockets[connection] = socket.on('error', () => {});
      await once(socket, 'connect');
    }
    sockets[connection]?.write(data);
  }
  for (const socket of sockets) socket.end();
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (let waited = 0; !(await isSo()); waited += 1) {
    if (waited > PATIENCE_MS) throw new Error('the server answered otherwise than the first time');
    await sleep(1);
  }
}

/** A database for a command, and copies of it as it was at its ends. */
export class DatabaseCopies implements AsyncDisposable {
  readonly url: string;
  readonly #name: string;
  readonly #client: pg.Client;
  readonly #cluster: PostgresCluster | undefined;

  private constructor(client: pg.Client, server: string, cluster: PostgresCluster | undefined) {
    this.#name = `administration_${process.pid}`;
    this.#client = client;
    this.#cluster = cluster;
    const url = new URL(server);
    url.pathname = this.#name;
    this.url = url.href;
  }

  /** Opens the copies on the server of the tests, where there is one. */
  static async open(): Promise<DatabaseCopies> {
    const given = await postgresIfAny();
    const cluster = given === undefined ? await PostgresCluster.start({ fsync: 'off' }) : undefined;
    const server = given ?? cluster?.url() ?? '';
    const client = new pg.Client(server);
    await client.connect();
    const copies = new DatabaseCopies(client, server, cluster);
    await client.query(`CREATE DATABASE ${copies.#name}`);
    return copies;
  }

  async keep(end: 'before' | 'after'): Promise<void> {
    await this.left();
    await this.#client.query(`CREATE DATABASE ${this.#name}_${end} TEMPLATE ${this.#name}`);
  }

  async show(end: 'before' | 'after'): Promise<void> {
    await this.#client.query(`DROP DATABASE IF EXISTS ${this.#name} WITH (FORCE)`);
    await this.#client.query(`CREATE DATABASE ${this.#name} TEMPLATE ${this.#name}_${end}`);
  }

  /** Resolves when nobody is connected to the database: a server first finishes what it was told. */
  async left(): Promise<void> {
    const count = 'SELECT count(*)::integer AS count FROM pg_stat_activity WHERE datname = $1';
    await until(async () => (await this.#client.query(count, [this.#name])).rows[0].count === 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const end of ['', '_before', '_after'])
      await this.#client.query(`DROP DATABASE IF EXISTS ${this.#name}${end} WITH (FORCE)`);
    await this.#client.end();
    await this.#cluster?.[Symbol.asyncDispose]();
  }
}
