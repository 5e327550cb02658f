/** The look of the HTML report; follows the reader's choice of light or dark. */
export const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--paper:#fff;--edge:#d9dee5;--good:#1a7f4b;--bad:#c2410c;--error:#b91c1c;--wait:#7c3aed;--a:#2563eb;--b:#0f766e;--c:#9ca3af}
@media (prefers-color-scheme:dark){:root{--ink:#e7ebf0;--soft:#a1acba;--paper:#12161c;--edge:#2c3541;--good:#4ade80;--bad:#fb923c;--error:#f87171;--wait:#c4b5fd;--a:#60a5fa;--b:#5eead4;--c:#6b7280}}
body{margin:0;background:var(--paper);color:var(--ink);font:15px/1.5 system-ui,sans-serif}
main{max-width:780px;margin:0 auto;padding:24px 16px 64px}
h1{margin:0 0 4px}h2{margin:28px 0 8px;font-size:17px}p{margin:0 0 12px;color:var(--soft)}
.figures{display:flex;flex-wrap:wrap;gap:10px;margin:16px 0}
.figures div{flex:1 1 74px;border:1px solid var(--edge);border-radius:8px;padding:8px 12px}
.figures b{display:block;font-size:18px;white-space:nowrap}.figures span{color:var(--soft)}
figure{margin:24px 0}figcaption{font-weight:600;margin-bottom:6px}
svg{width:100%;height:auto;display:block}
.grid{stroke:var(--edge)}.tick{fill:var(--soft);font-size:11px}
.line{fill:none;stroke-width:2}
path.p50{stroke:var(--b)}path.p99{stroke:var(--a)}path.max{stroke:var(--c)}
rect.granted{fill:var(--good)}rect.denied{fill:var(--bad)}rect.errors{fill:var(--error)}rect.timeouts{fill:var(--wait)}
.legend{font-size:13px}.legend .granted{color:var(--good)}.legend .denied{color:var(--bad)}.legend .errors{color:var(--error)}
.legend .timeouts{color:var(--wait)}.legend .p50{color:var(--b)}.legend .p99{color:var(--a)}.legend .max{color:var(--c)}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:5px 10px;border-bottom:1px solid var(--edge)}
th{color:var(--soft);font-weight:600}td+td,th+th{text-align:right;font-variant-numeric:tabular-nums}
`.trim();
