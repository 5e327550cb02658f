import type { ServerResponse } from 'node:http';
import type { Action, Outcome, Parts, Reply, Side } from '../reference/parts.ts';
import type { Alteration } from '../reference/server.ts';

/** A server that is right but for one fault. */
export interface Twin {
  readonly name: string;
  /** The section of the specification that it breaks. */
  readonly section: string;
  /** What is wrong, as the end of a sentence that begins with "A server". */
  readonly fault: string;
  readonly alsoAsked?: readonly string[];
  readonly alter?: Alteration;
  readonly write?: (response: ServerResponse, reply: Reply) => void;
}

type Body = Record<string, unknown>;

/** Changes the body of REST results. */
export function rest(change: (body: Body, outcome: Outcome, action: Action) => Body): Alteration {
  return (parts) => ({
    restBody: (outcome, action) => change({ ...parts.restBody(outcome, action) }, outcome, action),
  });
}

/** Changes the body of answers to devices. */
export function device(change: (body: Body, outcome: Outcome, action: Action) => Body): Alteration {
  return (parts) => ({
    deviceBody: (outcome, action) =>
      change({ ...parts.deviceBody(outcome, action) }, outcome, action),
  });
}

/** Changes every answer, whole. */
export function reply(change: (reply: Reply, path: string) => Reply): Alteration {
  return (parts) => ({
    finish: (answer, incoming) => change(parts.finish(answer, incoming), incoming.path),
  });
}

/** Changes the HTTP status of results. */
export function status(change: (outcome: Outcome, side: Side) => number | undefined): Alteration {
  return (parts) => ({
    statusOf: (outcome, side) => change(outcome, side) ?? parts.statusOf(outcome, side),
  });
}

/** Lets tickets in that the right server refuses. */
export function overlook(
  isOverlooked: (outcome: Outcome, action: Action, side: Side) => boolean,
): Alteration {
  return (parts) => ({
    refuse(ticket, action, side, key) {
      const refused = parts.refuse(ticket, action, side, key);
      return refused && isOverlooked(refused, action, side) ? undefined : refused;
    },
  });
}

/** A body without one of its fields. */
export function without(body: Body, ...names: string[]): Body {
  return Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));
}

export function isGranted({ status: value }: Outcome): boolean {
  return value === 'validated' || value === 'consumed';
}

/** Reads a REST body as JSON, or gives nothing. */
export function parsed(body: Buffer): Record<string, unknown> | undefined {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export type { Parts };
