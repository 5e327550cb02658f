import { serveJobs } from '../worker-jobs.ts';
import { writeImages } from './image-files.ts';

/** A thread that draws one batch of images at a time. */
serveJobs(writeImages);
