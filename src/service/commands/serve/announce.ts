import type { CliIo } from '../../../terminal/io.ts';
import { describeStoreUrl } from '../../stores/open-store.ts';
import { isOnlyHere } from './addresses.ts';
import type { RunningServer } from './run-server.ts';

/** Says where a server can be opened: one JSON line for machines, else lines for people. */
export async function announce(
  io: CliIo,
  server: RunningServer,
  { json, vary }: { json?: boolean; vary?: number },
  store: string,
): Promise<void> {
  const { url, urls, testToken, certificate, metricsUrl } = server;
  if (json) {
    io.out(JSON.stringify({ ...listening(server), vary }));
    return;
  }
  io.out(`ticketscan is listening on ${url}`);
  if (urls.length > 1) io.out(`From other machines: ${urls.slice(1).join(' ')}`);
  if (certificate) announceCertificate(io, certificate);
  if (metricsUrl !== undefined) io.out(`Metrics for Prometheus: ${metricsUrl}`);
  if (testToken !== undefined)
    io.out(`Test token of this run, for the header x-test-token: ${testToken}`);
  if (io.stdoutIsTty) await drawAddress(io, server);
  io.out(`Store: ${describeStoreUrl(store)}. Stop with Ctrl-C.`);
}

function listening(server: RunningServer): object {
  const { url, urls, testControls, testToken, certificate, metricsUrl } = server;
  const controls = testControls ? { testControls, testToken } : {};
  const tls = certificate && { certificateSha256: certificate.fingerprint };
  const metrics = metricsUrl === undefined ? {} : { metrics: metricsUrl };
  const where = { url, urls, dashboard: `${url}/`, ...tls, ...metrics };
  return { event: 'listening', ...where, ...controls };
}

function announceCertificate(
  io: CliIo,
  { fingerprint, isSelfSigned, path }: NonNullable<RunningServer['certificate']>,
): void {
  io.out(`Certificate SHA-256: ${fingerprint}`);
  if (!isSelfSigned) return;
  const clients = path === undefined ? '' : ` Clients trust it with --ca ${path}.`;
  io.out(
    `It is self-signed: browsers warn, so compare the fingerprint before you continue.${clients}`,
  );
}

/** A QR code for a phone, where another machine can open the dashboard. */
async function drawAddress(io: CliIo, { publicUrl }: RunningServer): Promise<void> {
  if (isOnlyHere(publicUrl)) return;
  // Loaded where somebody looks.
  const { renderQr } = await import('../../../tickets/codes/render-qr.ts');
  const dashboard = `${publicUrl}/`;
  const format = io.env['NO_COLOR'] ? 'text' : 'terminal';
  io.out(`${renderQr(dashboard, { format })}\nDashboard: ${dashboard}`);
}
