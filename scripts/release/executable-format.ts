import { readFileSync } from 'node:fs';
import type { Platform } from './runtimes.ts';

/** Node looks for this text: `1` at its end says that a program was added. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const PROGRAM = 'NODE_SEA_BLOB';

/** How an executable of each platform begins, and where the program is in it. */
const FORMATS: Readonly<
  Record<Platform, { has: (bytes: Buffer) => boolean; program: (bytes: Buffer) => boolean }>
> = {
  'linux-x64': { has: (bytes) => elfMachine(bytes) === 62, program: elfHasProgram },
  'linux-arm64': { has: (bytes) => elfMachine(bytes) === 183, program: elfHasProgram },
  'win-x64': { has: (bytes) => peMachine(bytes) === 0x8664, program: peHasProgram },
  'darwin-arm64': { has: (bytes) => machMachine(bytes) === 0x0100000c, program: machHasProgram },
};

/**
 * Reads a single executable as the system's loader and Node would, because those of other platforms cannot be started here.
 * @throws Error when it is for another platform, has no program inside, or Node would not look for it
 */
export function checkExecutable(path: string, platform: Platform): void {
  const bytes = readFileSync(path);
  const { has, program } = FORMATS[platform];
  if (!has(bytes)) throw new Error(`${path} is not an executable for ${platform}.`);
  if (!program(bytes)) throw new Error(`${path} has no program inside.`);
  const fuse = bytes.indexOf(FUSE);
  if (fuse === -1 || bytes.toString('latin1', fuse + FUSE.length, fuse + FUSE.length + 1) !== '1') {
    throw new Error(`${path} would start as Node: its fuse does not say that a program is inside.`);
  }
}

/** ELF, 64 bits, little-endian: e_machine. */
function elfMachine(bytes: Buffer): number | undefined {
  return bytes.readUInt32BE(0) === 0x7f454c46 && bytes.readUInt16BE(4) === 0x0201
    ? bytes.readUInt16LE(18)
    : undefined;
}

/** A note of that name in one of the note segments: name size, content size, type, name, content. */
function elfHasProgram(bytes: Buffer): boolean {
  const NOTE = 4;
  const start = Number(bytes.readBigUInt64LE(32));
  const [size, count] = [bytes.readUInt16LE(54), bytes.readUInt16LE(56)];
  const headers = Array.from({ length: count }, (_, index) => start + index * size);
  return headers
    .filter((header) => bytes.readUInt32LE(header) === NOTE)
    .some((header) => {
      let at = Number(bytes.readBigUInt64LE(header + 8));
      const end = at + Number(bytes.readBigUInt64LE(header + 32));
      while (at + 12 <= end) {
        const [name, content] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
        if (content > 0 && bytes.toString('latin1', at + 12, at + 11 + name) === PROGRAM)
          return true;
        at += 12 + Math.ceil(name / 4) * 4 + Math.ceil(content / 4) * 4;
      }
      return false;
    });
}

/** PE32+: the machine in the header that the DOS header points to. */
function peMachine(bytes: Buffer): number | undefined {
  if (bytes.toString('latin1', 0, 2) !== 'MZ') return undefined;
  const header = bytes.readUInt32LE(0x3c);
  return bytes.toString('latin1', header, header + 4) === 'PE\0\0'
    ? bytes.readUInt16LE(header + 4)
    : undefined;
}

/** A resource of that name: two bytes for its length, then UTF-16, in the section `.rsrc`. */
function peHasProgram(bytes: Buffer): boolean {
  const header = bytes.readUInt32LE(0x3c);
  const sections = header + 24 + bytes.readUInt16LE(header + 20);
  const name = Buffer.from(`${String.fromCharCode(PROGRAM.length)}${PROGRAM}`, 'utf16le');
  return Array.from({ length: bytes.readUInt16LE(header + 6) }, (_, index) => sections + index * 40)
    .filter((section) => bytes.toString('latin1', section, section + 6) === '.rsrc\0')
    .some((section) => {
      const [size, start] = [bytes.readUInt32LE(section + 16), bytes.readUInt32LE(section + 20)];
      return bytes.subarray(start, start + size).includes(name);
    });
}

/** Mach-O, 64 bits, little-endian: the processor. */
function machMachine(bytes: Buffer): number | undefined {
  return bytes.readUInt32LE(0) === 0xfeedfacf ? bytes.readUInt32LE(4) : undefined;
}

/** A load command for a segment NODE_SEA that has a section of that name. */
function machHasProgram(bytes: Buffer): boolean {
  const SEGMENT = 0x19;
  let at = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left -= 1) {
    const [command, size] = [bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4)];
    const text = bytes.toString('latin1', at, at + size);
    if (command === SEGMENT && text.slice(8, 16) === 'NODE_SEA' && text.includes(`__${PROGRAM}`))
      return true;
    at += size;
  }
  return false;
}
