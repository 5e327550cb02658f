import packageFile from '../../../package.json' with { type: 'json' };
import { type Finding, Findings } from './finding.ts';

const node = new Findings('node');

/** Compares the running Node with the required versions. @param version such as `v26.1.0` */
export function checkNode(version: string): Finding {
  const wanted = packageFile.engines.node;
  if (wanted.split('||').some((range) => isIn(range, version)))
    return node.good(`Node ${version}.`);
  return node.failed(
    `Node ${version}, but ${wanted} is needed.`,
    'Install a current Node, or use npx in a checkout, which has its own.',
  );
}

/** @param range `^22.20.0` for one line of versions, `>=24.7.0` without an end */
function isIn(range: string, version: string): boolean {
  const [[major, minor], [wantedMajor, wantedMinor]] = [numbersOf(version), numbersOf(range)];
  if (major === wantedMajor) return minor >= wantedMinor;
  return range.includes('>=') && major > wantedMajor;
}

function numbersOf(version: string): [major: number, minor: number] {
  const [major, minor] = (version.match(/\d+/g) ?? []).map(Number);
  return [major ?? 0, minor ?? 0];
}
