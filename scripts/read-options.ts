import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * Reads the options of a program for contributors.
 *
 * @param usage what `--help` prints, and what stands below a mistake
 * @param config as `parseArgs` takes it; `--help` is added
 * @returns what `parseArgs` returns. The process ends with 0 after `--help`, and with 2 where something is not known
 */
export function readOptions<Config extends ParseArgsConfig>(usage: string, config: Config) {
  const args = process.argv.slice(2);
  if (args.includes('--help')) {
    console.log(usage);
    process.exit(0);
  }
  try {
    return parseArgs({ ...config, args });
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    process.exit(2);
  }
}
