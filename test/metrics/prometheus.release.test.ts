import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import dashboard from '../../ops/grafana/ticketscan.json' with { type: 'json' };
import { temporaryFolder } from '../check/support/files.ts';
import { runCommand } from '../check/support/run-command.ts';
import { targetOf } from '../support/cli.ts';
import { freePort } from '../support/free-port.ts';
import { isOnPath, reasonToSkip } from '../support/needed-programs.ts';

const missing = reasonToSkip({
  prometheus: isOnPath('prometheus'),
  promtool: isOnPath('promtool'),
});

test.skipIf(missing)(
  'promtool accepts the alert rules, and each fires when it should and not before',
  () => {
    const answer = execFileSync('promtool', ['test', 'rules', 'ops/prometheus/alerts.test.yml'], {
      encoding: 'utf8',
    });
    expect(answer).toContain('SUCCESS');
    const names = (file: string) =>
      new Set(readFileSync(`ops/prometheus/${file}`, 'utf8').match(/Ticketscan\w+/g));
    expect(names('alerts.test.yml')).toEqual(names('alerts.yml'));
  },
);

test.skipIf(missing)(
  'a real Prometheus that scrapes a real server answers every query of the Grafana dashboard',
  async () => {
    const folder = temporaryFolder();
    const store = ['--store', `sqlite:${folder}/store.db`];
    const seeded = await runCommand([
      'seed',
      ...store,
      '--count',
      '3',
      '--out',
      `${folder}/t.json`,
    ]);
    expect(seeded.code).toBe(0);
    const target = targetOf(readFileSync(`${folder}/t.json`, 'utf8'));
    const args = [
      'bin/ticketscan.js',
      'serve',
      '--port',
      '0',
      '--json',
      '--metrics',
      '127.0.0.1:0',
      ...store,
    ];
    const server = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void server.kill('SIGKILL'));
    const [line] = await once(createInterface(server.stdout), 'line');
    const { url, metrics } = JSON.parse(line);
    const config = join(folder, 'prometheus.yml');
    const scraped = `{job_name: ticketscan, static_configs: [{targets: ["${new URL(metrics).host}"]}]}`;
    const rules = join(process.cwd(), 'ops/prometheus/alerts.yml');
    writeFileSync(
      config,
      `global: {scrape_interval: 250ms}\nrule_files: ["${rules}"]\nscrape_configs: [${scraped}]\n`,
    );
    const address = `127.0.0.1:${await freePort()}`;
    const options = [
      `--config.file=${config}`,
      `--storage.tsdb.path=${folder}/tsdb`,
      `--web.listen-address=${address}`,
    ];
    const prometheus = spawn('prometheus', options, { stdio: 'ignore' });
    onTestFinished(() => void prometheus.kill('SIGKILL'));
    const headers = { 'content-type': 'application/json', 'x-api-key': target.keys['rest'] ?? '' };
    const body = JSON.stringify({ ticketCode: target.tickets['permanent']?.[0] });
    const query = async (expr: string): Promise<unknown[]> => {
      await fetch(`${url}/scan/consume`, { method: 'POST', headers, body });
      const text = expr.replaceAll('$__rate_interval', '5s');
      const asked = `http://${address}/api/v1/query?query=${encodeURIComponent(text)}`;
      const answer = await fetch(asked).catch(() => undefined);
      if (answer === undefined || answer.status === 503) return [];
      const json = (await answer.json()) as { error?: string; data?: { result: unknown[] } };
      if (!json.data) throw new Error(`${expr}: ${json.error}`);
      return json.data.result;
    };
    const end = Date.now() + 20_000;
    for (const { title, targets } of dashboard.panels) {
      for (const { expr } of targets) {
        let result: unknown[] = [];
        while (result.length === 0 && Date.now() < end) {
          result = await query(expr);
          if (result.length === 0) await wait(100);
        }
        expect(result.length, `${title}: ${expr}`).toBeGreaterThan(0);
        expect(JSON.stringify(result), title).not.toContain('"NaN"');
      }
    }
  },
);
