import { readOptions } from '../read-options.ts';
import { makeRelease } from './make.ts';
import { verifyRelease } from './verify/verify.ts';

const USAGE = `Usage: npm run release -- [--short] [--out FOLDER]
       npm run release -- --verify [part…] [--changed] [--install] [--report FILE]

Makes the files of a release, or checks what only a release checks.
  --short        leaves out what takes minutes
  --out FOLDER   where the files of the release go
  --verify       checks the named parts, or all
  --changed      checks the parts whose sources have changed since they passed
  --install      installs the programs that the parts need
  --report FILE  writes a report, as JSON`;

const { values, positionals } = readOptions(USAGE, {
  allowPositionals: true,
  options: {
    short: { type: 'boolean', default: false },
    out: { type: 'string' },
    verify: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    install: { type: 'boolean', default: false },
    report: { type: 'string' },
  },
});

if (values.verify) process.exitCode = verifyRelease({ names: positionals, ...values });
else if (positionals.length === 0) await makeRelease(values);
else {
  console.error(`Parts of a release can only be named with --verify: ${positionals.join(' ')}`);
  process.exitCode = 2;
}
