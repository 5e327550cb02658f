import packageFile from '../../../package.json' with { type: 'json' };
import { type Finding, Findings } from './finding.ts';

const node = new Findings('node');

/** Compares the running Node with the required version. @param version such as `v26.1.0` */
export function checkNode(version: string): Finding {
  const wanted = Number(/\d+/.exec(packageFile.engines.node)?.[0]);
  if (Number(/\d+/.exec(version)?.[0]) >= wanted) return node.good(`Node ${version}.`);
  return node.failed(
    `Node ${version}, but ${packageFile.engines.node} is needed.`,
    'Install a current Node, or use npx in a checkout, which has its own.',
  );
}
