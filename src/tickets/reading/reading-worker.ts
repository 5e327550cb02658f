import { serveJobs } from '../worker-jobs.ts';
import { findCodes } from './find-codes.ts';
import { loadPictures } from './load-pictures.ts';
import type { PagePicture } from './picture.ts';
import type { PageCodes } from './reading-thread.ts';

let pictures: AsyncGenerator<PagePicture> | undefined;

/** A thread that reads a picture at a time: the path of a file is for its first, nothing for the next of the same file. */
serveJobs(async (file: string | undefined): Promise<PageCodes | undefined> => {
  if (file !== undefined) pictures = loadPictures(file);
  const next = await pictures?.next();
  if (!next || next.done) return undefined;
  const { picture, page } = next.value;
  return { page, codes: await findCodes(picture) };
});
