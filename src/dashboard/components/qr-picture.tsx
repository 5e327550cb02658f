import { create } from 'qrcode';
import { useMemo } from 'react';

/** Modules of white around a code, as its standard wants. */
const QUIET_MODULES = 4;

/** A text as QR code, drawn here: nothing of it leaves the page. Dark on white in either theme, for cameras. */
export function QrPicture({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => pathOf(text), [text]);
  return (
    <svg
      className="qr"
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

function pathOf(text: string): { size: number; path: string } {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  const squares: string[] = [];
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column)) {
        squares.push(`M${column + QUIET_MODULES} ${row + QUIET_MODULES}h1v1h-1z`);
      }
    }
  }
  return { size: modules.size + 2 * QUIET_MODULES, path: squares.join('') };
}

/** True for an address that no other machine can reach. */
export function isOnlyHere(url: string): boolean {
  return /^(localhost|127\..*|\[::1\])$/.test(new URL(url).hostname);
}
