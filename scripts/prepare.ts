import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/**
 * npm runs this wherever it has installed the packages of this project. Whoever installs from a git address needs the
 * build; `npm ci` in a checkout is followed by a command that builds.
 */
if (process.env['npm_command'] !== 'ci' && !existsSync('dist/main.js')) {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
}
