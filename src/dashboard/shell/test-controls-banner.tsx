import { useMay } from '../api/session.tsx';
import type { Server } from '../api/types.ts';
import { useRead } from '../api/use-api.ts';
import { useTexts } from '../i18n/language.tsx';

const ASK_EVERY_MS = 60_000;

/** Warns that clock and faults of this server can be changed: it must not serve a real gate. */
export function TestControlsBanner() {
  const texts = useTexts();
  const enabled = useMay('viewer');
  const server = useRead<Server>('/server', { everyMs: ASK_EVERY_MS, enabled });
  if (!server.data?.testControls) return null;
  return (
    <div className="test-controls" role="alert">
      {texts.testControls}
    </div>
  );
}
