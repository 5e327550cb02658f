import { parentPort, workerData } from 'node:worker_threads';
import { type Failure, failureOf } from '../core/errors.ts';
import { workInBackground } from '../kit/program-files.ts';

/** The functions that prepare each kind of thread and return its job. A thread loads only what its own jobs need. */
const PREPARE = {
  /** Draws a batch of images. */
  images: async () => (await import('./making/image-files.ts')).writeImages,
  /** Draws a sheet. */
  sheet: async () => {
    workInBackground();
    return (await import('./sheets/write-sheet.ts')).sheetDrawer();
  },
  /** Reads the codes in a picture: the path of a file is for its first, nothing for the next of the same file. */
  pictures: async () => (await import('./reading/find-codes.ts')).pageReader(),
  /** Reads a sheet of a workbook. */
  workbook: async () => {
    workInBackground();
    return (await import('./lists/worksheet.ts')).readWorksheet;
  },
};

export type Jobs = {
  [Kind in keyof typeof PREPARE]: Awaited<ReturnType<(typeof PREPARE)[Kind]>>;
};

/** The answer of a thread to a job. */
export type Reply = { readonly result: unknown } | { readonly failure: Failure };

const work: Promise<(job: never) => Promise<unknown>> = PREPARE[workerData as keyof Jobs]();
parentPort?.on('message', async (job) => {
  const reply = (message: Reply) => parentPort?.postMessage(message);
  try {
    reply({ result: await (await work)(job as never) });
  } catch (error) {
    reply({ failure: failureOf(error) });
  }
});
