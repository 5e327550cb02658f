import * as fontkit from 'fontkit';
import { messageOf, TicketscanError } from '../../core/errors.ts';
import { readBounded } from '../../kit/bounded-file.ts';
import { readAsset } from '../asset.ts';
import type { Covers } from './visual-runs.ts';

export type Weight = 'regular' | 'bold';

/** The fonts of a sheet, the one to prefer first. */
export interface SheetFonts {
  /** Name and file content of each font, to be registered with the PDF. */
  readonly faces: readonly { readonly name: string; readonly bytes: Buffer }[];
  /** Names in order of preference. */
  readonly order: Readonly<Record<Weight, readonly string[]>>;
  readonly covers: (weight: Weight) => Covers;
}

interface Face {
  readonly name: string;
  readonly bytes: Buffer;
  readonly codePoints: ReadonlySet<number>;
}

/**
 * DejaVu Sans, which has Latin, Greek, Cyrillic, Arabic, Hebrew and many symbols, and behind it fonts of the user's for
 * what it lacks.
 * @param extraFiles TTF or OTF files
 * @throws TicketscanError `usage` for a file that is no font
 */
export async function loadFonts(extraFiles: readonly string[]): Promise<SheetFonts> {
  const [regular, bold] = await Promise.all([readAsset('font'), readAsset('fontBold')]);
  const own = { regular: face('regular', regular), bold: face('bold', bold) };
  const extra = await Promise.all(extraFiles.map((file, index) => userFace(file, `extra${index}`)));
  const byWeight = { regular: [own.regular, ...extra], bold: [own.bold, ...extra] };
  return {
    faces: [own.regular, own.bold, ...extra],
    order: {
      regular: byWeight.regular.map(({ name }) => name),
      bold: byWeight.bold.map(({ name }) => name),
    },
    covers: (weight) => (font, text) => {
      const codePoints = byWeight[weight][font]?.codePoints;
      return Array.from(text).every((character) => codePoints?.has(character.codePointAt(0) ?? 0));
    },
  };
}

function face(name: string, bytes: Buffer): Face {
  const font = fontkit.create(bytes);
  if (!('characterSet' in font)) throw new Error('it is a collection of fonts; give a single font');
  return { name, bytes, codePoints: new Set(font.characterSet) };
}

async function userFace(file: string, name: string): Promise<Face> {
  try {
    return face(name, readBounded(file));
  } catch (error) {
    throw new TicketscanError('usage', `${file} cannot be used as a font: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
