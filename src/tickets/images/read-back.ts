import { messageOf } from '../../core/errors.ts';
import { DECODERS, findCodes } from '../reading/find-codes.ts';
import { loadPictures } from '../reading/load-pictures.ts';

/**
 * Reads an image back from its file with two independent decoders.
 * @returns what is wrong with it; undefined when both read exactly that code and no other
 */
export async function readBack(file: string, code: string): Promise<string | undefined> {
  try {
    for await (const { picture } of loadPictures(file)) {
      const [first, ...others] = await findCodes(picture);
      if (!first) return 'no decoder finds a code in it';
      if (others.length > 0) return 'it contains more than one code';
      if (first.text !== code) return 'it reads as another code';
      const missing = DECODERS.filter((decoder) => !first.decoders.includes(decoder));
      if (missing.length > 0) return `${missing.join(' and ')} cannot read it`;
    }
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}
