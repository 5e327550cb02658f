import type packageFile from '../../../package.json';

/** What only a release checks of one thing that is released. */
export interface ReleasePart {
  readonly name: string;
  readonly about: string;
  /** The files `test/**\/*.release.test.ts` that check it. */
  readonly tests: readonly string[];
  /** What it checks, as globs. When one of these files changes, or one of its tests, the gate of a commit runs the part too. */
  readonly content: readonly string[];
  /** Members of package.json that belong to its content. */
  readonly packageMembers?: readonly (keyof typeof packageFile)[];
  /** Commands that its tests need, each with its Debian package. */
  readonly programs?: Readonly<Record<string, string>>;
  /** Fetches what its tests need besides. */
  readonly prepare?: readonly [command: string, ...parameters: string[]];
}

/** The packages inside, in their versions. npm refuses a lock file that differs from package.json. */
const DEPENDENCIES = 'package-lock.json';
const BUILD =
  'scripts/{build,build-dashboard,bundled-packages,dashboard-shell,node-brotli,package-types,type-compiler}.ts';
const EXECUTABLE = 'scripts/release/{executable,executable-format,runtimes}.ts';

/** Everything that only `npm run release -- --verify` and the nightly proof run. `.ci/run` runs the parts whose content changed. */
export const RELEASE_PARTS: readonly ReleasePart[] = [
  {
    name: 'package',
    about: 'the npm package on the oldest Node of each line and on one that is too old, with Jest',
    tests: ['test/install/package-on-each-node.release.test.ts'],
    content: [
      DEPENDENCIES,
      BUILD,
      '.ci/outside/package-lock.json',
      'bin/**',
      'examples/{jest,node-test,vitest}/*',
      'scripts/release/{package,step}.ts',
      'src/testing/{node-test,vitest}.ts',
      'test/install/support/{every-entry.mjs,every-require.cjs,outside.ts,stranger.ts,vitest-commonjs.test.cjs}',
    ],
    packageMembers: ['files', 'bin', 'exports', 'engines'],
    prepare: ['npm', 'run', 'outside'],
  },
  {
    name: 'executable',
    about: 'the program as a single file',
    tests: ['test/install/executable.release.test.ts'],
    content: [
      DEPENDENCIES,
      BUILD,
      EXECUTABLE,
      'src/cli/executable-main.ts',
      'src/kit/program-files.ts',
      'src/tickets/assets.ts',
      'src/kit/pictures/webp.ts',
    ],
  },
  {
    name: 'files',
    about: 'the files of the short form of a release, built twice',
    tests: ['test/install/files.release.test.ts'],
    content: [DEPENDENCIES, BUILD, 'scripts/release/*.ts'],
    packageMembers: ['files', 'bin'],
  },
  {
    name: 'deb',
    about: 'the Debian package and `service install`, in a small Debian system',
    tests: ['test/install/deb.release.test.ts'],
    content: [
      EXECUTABLE,
      'scripts/release/deb.ts',
      'scripts/release/debian/*',
      'src/features/service/*',
      'test/install/support/debian-root.ts',
    ],
    programs: { adduser: 'adduser', 'dpkg-deb': 'dpkg', 'systemd-analyze': 'systemd' },
  },
  {
    name: 'image',
    about: 'the container image, loaded and run as it says',
    tests: ['test/install/image.release.test.ts'],
    content: [
      EXECUTABLE,
      'scripts/release/image.ts',
      'scripts/release/image/*',
      'examples/container/docker-compose.yml',
      'test/install/support/{container,test-executable}.ts',
    ],
    programs: { 'dpkg-deb': 'dpkg', skopeo: 'skopeo', umoci: 'umoci' },
    prepare: ['node', 'scripts/release/image/debian-packages.ts'],
  },
  {
    name: 'ops',
    about: 'alert rules and dashboard, with Prometheus and a server',
    tests: ['test/metrics/prometheus.release.test.ts'],
    content: ['ops/**', 'src/serve/{metrics,metrics-listener}.ts'],
    programs: { prometheus: 'prometheus', promtool: 'prometheus' },
  },
  {
    name: 'java',
    about: 'the example in Java',
    tests: ['test/testing/java-example.release.test.ts'],
    content: [
      'examples/container/Gate.java',
      'src/testing/remote/*',
      'test/testing/support/container-example.ts',
    ],
    programs: { java: 'default-jdk-headless', javac: 'default-jdk-headless' },
  },
  {
    name: 'kept-patches',
    about: 'the kept patches in a second build',
    tests: ['test/docs/kept-patches.release.test.ts'],
    content: ['fixtures/cost/*'],
  },
  {
    name: 'lossy-lines',
    about: '`check` over lines that lose requests and answers',
    tests: ['test/mutants/lossy-lines.release.test.ts'],
    content: [
      'src/check/judging/{combine,deviation,judge}.ts',
      'src/check/{requests,run}/*',
      'test/mutants/lines.ts',
    ],
  },
  {
    name: 'engines',
    about: 'pairing, camera and reload in Chromium, Firefox and WebKit',
    tests: ['test/dashboard/engines.release.test.ts'],
    content: [
      'src/dashboard/{api,scanner,shell}/*',
      'src/dashboard/{main.tsx,service-worker.ts}',
      'src/dashboard/pages/{sign-in,scanner,scan-result}.tsx',
      'src/features/accounts/{guard,known-device,routes}.ts',
      'test/dashboard/support/{engines,gate-page}.ts',
    ],
    programs: {
      'firefox-esr': 'firefox-esr',
      WebKitWebDriver: 'webkit2gtk-driver',
      'xvfb-run': 'xvfb',
    },
  },
  {
    name: 'lighthouse',
    about: 'the scores of Lighthouse for speed and accessibility, signed in',
    tests: ['test/dashboard/lighthouse.release.test.ts'],
    // The scores tell of the machine, too: a change of the page is measured with a release.
    content: ['.ci/lighthouse/package-lock.json'],
    prepare: ['npm', 'ci', '--ignore-scripts', '--prefix', '.ci/lighthouse'],
  },
  {
    name: 'season',
    about: 'a day of a park, from printing to closing',
    tests: ['test/e2e/season.release.test.ts'],
    content: [],
  },
];
