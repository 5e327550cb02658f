import { administration } from './administration/administration-part.ts';
import { clients } from './faults/clients.ts';
import { clock } from './faults/clock.ts';
import { diskFull } from './faults/disk-full.ts';
import { everyCall } from './faults/every-call.ts';
import { fileLimit } from './faults/file-limit.ts';
import { goneClients } from './faults/gone-clients.ts';
import { ioErrors } from './faults/io-errors.ts';
import { kill } from './faults/kill.ts';
import { readOnly } from './faults/read-only.ts';
import { replacedFile } from './faults/replaced-file.ts';
import { terminate } from './faults/terminate.ts';
import { model } from './model/model-part.ts';
import { codes } from './nightly/codes-part.ts';
import { drawn } from './nightly/drawn-part.ts';
import { explorations } from './nightly/explore-part.ts';
import { release } from './nightly/release-part.ts';
import type { Part } from './part.ts';
import { load } from './planted/load-part.ts';
import { planted } from './planted/planted-part.ts';
import { badLines, failOver } from './postgres/postgres-parts.ts';
import { powerCut } from './power-cut/power-cut-part.ts';
import { short } from './short/short-part.ts';
import { simulation } from './simulation/simulation-part.ts';
import { sites } from './sites/sites-part.ts';
import { splits } from './splits/splits-part.ts';
import { webhooks } from './webhooks/webhooks-part.ts';

/** Everything that `npm run prove` does, in its order. */
export const PARTS: readonly Part[] = [
  short,
  model,
  sites,
  splits,
  load,
  planted,
  powerCut,
  kill,
  everyCall,
  ioErrors,
  diskFull,
  readOnly,
  fileLimit,
  replacedFile,
  clock,
  terminate,
  clients,
  goneClients,
  webhooks,
  failOver,
  badLines,
  simulation,
  administration,
  drawn,
  codes,
  explorations,
  release,
];
