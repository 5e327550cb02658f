import { accessController } from '../models/access-controller.ts';
import type { StandInModel, Verdict } from '../models/device-model.ts';
import { MODELS } from '../models/model-table.ts';
import type { WireAnswer } from '../wire.ts';

/** The code that a request body carries, and in which model's format it came. */
export interface ReadCard {
  readonly model: StandInModel;
  readonly code: string;
  /** Undefined in models without readers. */
  readonly reader: string | undefined;
}

/** Undefined when no model's format fits. */
export function readBody(body: string): ReadCard | undefined {
  for (const { standIn } of MODELS) {
    const code = standIn.codeOf(body);
    if (code !== undefined) return { model: standIn, code, reader: standIn.readerOf?.(body) };
  }
  return undefined;
}

/** The answer in the format of the model; the documented one where no format fitted. */
export function answerFor(model: StandInModel | undefined, verdict: Verdict): WireAnswer {
  return { status: verdict.status, body: (model ?? accessController.standIn).answer(verdict) };
}
