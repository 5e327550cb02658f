import { PassThrough } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { checkTimeZone } from '../../core/time-zone.ts';
import { workInBackground } from '../../kit/program-files.ts';
import { serveJobs } from '../worker-jobs.ts';
import { layoutNamed } from './layouts.ts';
import type { SheetJob } from './sheet-thread.ts';
import { loadFonts } from './text.ts';
import { writeSheet } from './write-sheet.ts';

workInBackground();
const fonts = loadFonts([]);

/** A thread that draws one sheet at a time. */
serveJobs(async ({ tickets, layout, content, title }: SheetJob): Promise<Uint8Array> => {
  const target = new PassThrough();
  const pdf = buffer(target);
  await writeSheet(target, tickets, {
    ...content,
    timeZone: checkTimeZone(content.timeZone),
    // A thread gets bytes without the methods of a Buffer.
    logo: content.logo && Buffer.from(content.logo),
    layout: layoutNamed(layout),
    fonts: await fonts,
    title,
  });
  return pdf;
});
