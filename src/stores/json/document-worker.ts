import { parentPort, workerData } from 'node:worker_threads';
import { failureOf } from '../../core/errors.ts';
import { DocumentDatabase } from './document-database.ts';
import type { WriteReply } from './document-writer.ts';

/** Writes the document in a thread of its own: reading all tickets takes longer than a scan may wait. */
const port = parentPort;
if (!port) throw new Error('the writer of a document runs as a worker thread only');

let database: DocumentDatabase | undefined;

port.on('message', async (what: 'write' | 'close') => {
  if (what === 'close') await database?.close();
  port.postMessage(what === 'close' ? {} : await write());
  if (what === 'close') port.close();
});

async function write(): Promise<WriteReply> {
  try {
    database ??= new DocumentDatabase(workerData as string);
    return { result: await database.writeDocument() };
  } catch (error) {
    return { failure: failureOf(error) };
  }
}
