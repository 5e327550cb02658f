/** Light and dark as the system wants it; no fonts, no pictures, nothing from elsewhere. */
export const REFERENCE_STYLE = `
:root { color-scheme: light dark; --line: light-dark(#d8dce2, #3a4048); --soft: light-dark(#f4f6f8, #1c2026); }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1rem; border-right: 1px solid var(--line); background: var(--soft); font-size: .875rem; }
nav ul { list-style: none; margin: 0; padding-left: .75rem; }
nav > ul { padding: 0; }
nav > ul > li { margin-bottom: .75rem; font-weight: 600; }
nav li li { font-weight: 400; }
main { padding: 1rem 2rem 4rem; max-width: 64rem; }
a { color: light-dark(#0b57b0, #8ab8ff); text-decoration: none; }
a:hover, a:focus-visible { text-decoration: underline; }
h2 { margin-top: 3rem; border-bottom: 1px solid var(--line); }
h3 { margin: 2rem 0 .25rem; }
h4 { margin: 1rem 0 .25rem; font-size: .875rem; }
small { font-weight: 400; opacity: .8; }
article { scroll-margin-top: 1rem; }
code { font: .875em ui-monospace, monospace; background: var(--soft); padding: .1em .3em; border-radius: 3px; overflow-wrap: break-word; }
.call b { display: inline-block; min-width: 4.5rem; padding: .1rem .5rem; border-radius: 4px; color: #fff; text-align: center; font-size: .8rem; background: #5c6470; }
.call b.get { background: #1b6fc2; } .call b.post { background: #1a7f37; } .call b.patch { background: #8a5a00; } .call b.delete { background: #b42318; }
table { display: block; overflow-x: auto; border-collapse: collapse; font-size: .875rem; }
td { border-bottom: 1px solid var(--line); padding: .3rem .75rem .3rem 0; vertical-align: top; }
@media (max-width: 48rem) { body { display: block; } nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line); } main { padding: 1rem; } }
`;
