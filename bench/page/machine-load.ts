import { readdirSync, readFileSync } from 'node:fs';
import type { TakenByOthers } from './line.ts';

/** Ticks of 10 ms since the start of the machine or of this program. */
interface LoadReading {
  /** The ticks of all processors, busy or not. */
  readonly passed: number;
  /** The ticks of programs; interrupts are counted to nobody, because our own network traffic causes most of them. */
  readonly byAll: number;
  readonly stolen: number;
  /** The ticks of this program and all that it started, also what has ended. */
  readonly byUs: number;
}

/** @returns a function that says what others took since the call */
export function watchMachine(): () => TakenByOthers {
  const before = readLoad();
  return () => takenBetween(before, readLoad());
}

/** Shares of all processors, from 0 to 1. */
export function takenBetween(before: LoadReading, after: LoadReading): TakenByOthers {
  const since = (of: keyof LoadReading) => after[of] - before[of];
  const passed = Math.max(1, since('passed'));
  return {
    byPrograms: Math.max(0, since('byAll') - since('byUs')) / passed,
    byHost: since('stolen') / passed,
  };
}

/** Linux only: it reads /proc. */
export function readLoad(): LoadReading {
  const byUs = ticksOfTree(process.pid, readProcesses());
  return { ...machineTicks(readFileSync('/proc/stat', 'utf8')), byUs };
}

/** @param stat the text of /proc/stat */
export function machineTicks(stat: string): Omit<LoadReading, 'byUs'> {
  const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, hard = 0, soft = 0, stolen = 0] = (
    stat.split('\n')[0] ?? ''
  )
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const byAll = user + nice + system;
  return { passed: byAll + idle + wait + hard + soft + stolen, byAll, stolen };
}

interface ProcessTicks {
  readonly pid: number;
  readonly parent: number;
  /** Its own, and of its children that have ended. */
  readonly ticks: number;
}

/** The ticks of a process and all that descend from it. */
export function ticksOfTree(root: number, processes: readonly ProcessTicks[]): number {
  const children = processes.filter(({ parent }) => parent === root);
  const own = processes.find(({ pid }) => pid === root)?.ticks ?? 0;
  return children.reduce((sum, { pid }) => sum + ticksOfTree(pid, processes), own);
}

function readProcesses(): ProcessTicks[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [parseProcess(readFileSync(`/proc/${name}/stat`, 'utf8'))];
      } catch {
        // It has ended meanwhile; its parent counts it.
        return [];
      }
    });
}

/** @param stat the text of /proc/PID/stat; a program's name may have spaces and brackets */
export function parseProcess(stat: string): ProcessTicks {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [
    number,
    number,
    number,
    number,
  ];
  return {
    pid: Number.parseInt(stat, 10),
    parent: Number(fields[1]),
    ticks: user + system + childUser + childSystem,
  };
}
