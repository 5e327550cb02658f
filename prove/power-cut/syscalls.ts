import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

/** What the traced processes did to the disk and to the network, in the order in which it happened. */
export type Step =
  | { readonly kind: 'create'; readonly path: string; readonly truncates: boolean }
  /** `offset` null: at the end of the file. */
  | {
      readonly kind: 'write';
      readonly path: string;
      readonly offset: number | null;
      readonly data: Buffer;
    }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'sync-begin'; readonly path: string; readonly sync: number }
  | {
      readonly kind: 'sync-end';
      readonly path: string;
      readonly sync: number;
      readonly succeeded: boolean;
    }
  | { readonly kind: 'rename'; readonly path: string; readonly to: string }
  | { readonly kind: 'link'; readonly path: string; readonly to: string }
  | { readonly kind: 'unlink'; readonly path: string }
  /** Bytes that left for a socket or a file that is not of the store. */
  | { readonly kind: 'told'; readonly data: Buffer };

/** What strace must be asked for. Data is wanted whole and in hexadecimal. */
export const STRACE = [
  'strace',
  '-f',
  '-y',
  '-xx',
  '-s',
  '16000000',
  '-e',
  'trace=pwrite64,pwritev,pwritev2,write,writev,sendto,sendmsg,fsync,fdatasync,sync_file_range,ftruncate,truncate,' +
    'rename,renameat,renameat2,link,linkat,unlink,unlinkat,open,openat,fallocate,copy_file_range,sendfile',
  '-e',
  'signal=none',
] as const;

/**
 * Reads a trace.
 * @param folder of the store; what happens elsewhere on the disk is left out
 * @throws Error for a call on the store that the disk model does not know
 */
export async function readTrace(path: string, folder: string): Promise<Step[]> {
  const reader = new TraceReader(folder);
  for await (const line of createInterface({ input: createReadStream(path, 'latin1') }))
    reader.read(line);
  return reader.steps;
}

const LINE = /^(\d+) +(?:<\.\.\. (\w+) resumed>(.*)|(\w+)\((.*))$/s;
const UNFINISHED = ' <unfinished ...>';
const RESULT = /\) += (-?\d+|\?)/g;
const QUOTED = /"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?/g;
const OF_DESCRIPTOR = /^\d+<((?:\\x[0-9a-f]{2})*)>/;

interface Begun {
  readonly text: string;
  readonly sync: number;
}

class TraceReader {
  readonly steps: Step[] = [];
  readonly #folder: string;
  readonly #begun = new Map<string, Begun>();
  #syncs = 0;

  constructor(folder: string) {
    this.#folder = folder.endsWith('/') ? folder : `${folder}/`;
  }

  read(line: string): void {
    const [, thread = '', resumed, ending = '', name = resumed ?? '', text = ''] =
      LINE.exec(line) ?? [];
    if (thread === '') return;
    if (resumed !== undefined) {
      const begun = this.#begun.get(thread);
      if (begun) this.#ended(name, begun.text + ending, begun.sync);
      return;
    }
    const unfinished = text.endsWith(UNFINISHED);
    const whole = unfinished ? text.slice(0, -UNFINISHED.length) : text;
    const sync = name === 'fsync' || name === 'fdatasync' ? this.#syncBegins(whole) : 0;
    if (unfinished) this.#begun.set(thread, { text: whole, sync });
    else this.#ended(name, whole, sync);
  }

  #syncBegins(text: string): number {
    this.#syncs += 1;
    const path = this.#pathOfDescriptor(text);
    if (path !== undefined) this.steps.push({ kind: 'sync-begin', path, sync: this.#syncs });
    return this.#syncs;
  }

  #ended(name: string, text: string, sync: number): void {
    const results = [...text.matchAll(RESULT)];
    const result = Number(results.at(-1)?.[1]);
    const args = text.slice(0, results.at(-1)?.index ?? text.length);
    if (name === 'fsync' || name === 'fdatasync') this.#synced(args, sync, result === 0);
    else if (!(result >= 0)) return;
    else if (name === 'open' || name === 'openat') this.#opened(args);
    else if (/^(rename|link|unlink)/.test(name)) this.#named(name, args);
    else this.#changed(name, args, result);
  }

  #synced(args: string, sync: number, succeeded: boolean): void {
    const path = this.#pathOfDescriptor(args);
    if (path !== undefined) this.steps.push({ kind: 'sync-end', path, sync, succeeded });
  }

  #opened(args: string): void {
    if (!args.includes('O_CREAT') && !args.includes('O_TRUNC')) return;
    const path = this.#inFolder(stringsIn(args)[0]?.toString());
    if (path !== undefined)
      this.steps.push({ kind: 'create', path, truncates: args.includes('O_TRUNC') });
  }

  #named(name: string, args: string): void {
    const [from, to] = stringsIn(args).map((text) => text.toString());
    const path = this.#inFolder(from);
    const target = this.#inFolder(to);
    if (name.startsWith('unlink')) {
      if (path !== undefined) this.steps.push({ kind: 'unlink', path });
    } else if (path !== undefined && target !== undefined) {
      this.steps.push({ kind: name.startsWith('link') ? 'link' : 'rename', path, to: target });
    }
  }

  #changed(name: string, args: string, result: number): void {
    const path = this.#pathOfDescriptor(args);
    if (path === undefined) {
      if (/^(write|writev|sendto|sendmsg)$/.test(name)) {
        this.steps.push({ kind: 'told', data: Buffer.concat(stringsIn(args)) });
      }
      return;
    }
    const number = Number(/, (\d+)$/.exec(args)?.[1]);
    if (name === 'ftruncate') this.steps.push({ kind: 'truncate', path, size: number });
    else if (/^p?writev?(64)?$/.test(name)) {
      const data = Buffer.concat(stringsIn(args)).subarray(0, result);
      this.steps.push({ kind: 'write', path, offset: name.startsWith('p') ? number : null, data });
    } else throw new Error(`the disk model knows no ${name} on ${path}`);
  }

  #pathOfDescriptor(args: string): string | undefined {
    return this.#inFolder(unhex(OF_DESCRIPTOR.exec(args)?.[1] ?? '').toString());
  }

  /** The path within the store's folder; empty for the folder itself. Shared memory is no promise of the disk. */
  #inFolder(path: string | undefined): string | undefined {
    if (path === undefined || path.endsWith('-shm')) return undefined;
    if (`${path}/` === this.#folder) return '';
    return path.startsWith(this.#folder) ? path.slice(this.#folder.length) : undefined;
  }
}

function stringsIn(args: string): Buffer[] {
  return [...args.matchAll(QUOTED)].map(([, hex = '', cut]) => {
    if (cut) throw new Error('strace cut off the data of a call');
    return unhex(hex);
  });
}

function unhex(text: string): Buffer {
  return Buffer.from(text.replaceAll('\\x', ''), 'hex');
}
