import { escapeMarkup } from '../../../kit/markup.ts';
import { anchor, prose } from './markup.ts';
import { memberRows, typeText } from './schema-text.ts';
import type { OpenApiDocument, Operation } from './types.ts';

interface Entry {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

const METHODS = ['get', 'post', 'patch', 'put', 'delete'];

/** A page to read the interface on: plain HTML without scripts, with one style sheet of its own. */
export function referencePage(document: OpenApiDocument, styleUrl: string): string {
  const groups = groupsOf(document);
  const { title, version, description = '' } = document.info;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}: API reference</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleUrl}">
</head>
<body>
<nav aria-label="Contents">${contents(groups)}</nav>
<main>
<h1>${escapeMarkup(title)} <small>${escapeMarkup(version)}</small></h1>
<p>${prose(description)} For programs: <a href="openapi.json">openapi.json</a>.</p>
${securityText(document)}
${[...groups].map(([tag, entries]) => groupText(tag, entries)).join('\n')}
${schemasText(document)}
</main>
</body>
</html>
`;
}

function groupsOf({ paths = {} }: OpenApiDocument): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const [path, item] of Object.entries(paths)) {
    for (const method of METHODS) {
      const operation = item?.[method];
      if (!operation) continue;
      const tag = operation.tags?.[0] ?? 'Other';
      const entries = groups.get(tag) ?? [];
      entries.push({ method: method.toUpperCase(), path, operation });
      groups.set(tag, entries);
    }
  }
  return groups;
}

function contents(groups: ReadonlyMap<string, readonly Entry[]>): string {
  const items = [...groups].map(([tag, entries]) => {
    const links = entries.map(
      ({ method, path, operation }) =>
        `<li><a href="#${anchor(method, path)}">${escapeMarkup(operation.summary ?? path)}</a></li>`,
    );
    return `<li><a href="#${anchor('group', tag)}">${escapeMarkup(tag)}</a><ul>${links.join('')}</ul></li>`;
  });
  return `<ul>${items.join('')}<li><a href="#schemas">Schemas</a></li></ul>`;
}

function securityText({ components }: OpenApiDocument): string {
  const rows = Object.entries(components?.securitySchemes ?? {}).map(([name, scheme]) => {
    const { description = '' } = scheme;
    return `<tr><td><code>${escapeMarkup(name)}</code></td><td>${prose(description)}</td></tr>`;
  });
  return `<h2 id="security">Who may call</h2><table><tbody>${rows.join('')}</tbody></table>`;
}

function groupText(tag: string, entries: readonly Entry[]): string {
  const texts = entries.map(operationText);
  return `<section><h2 id="${anchor('group', tag)}">${escapeMarkup(tag)}</h2>${texts.join('')}</section>`;
}

function operationText({ method, path, operation }: Entry): string {
  const { summary = '', description, security = [] } = operation;
  const ways = security.flatMap((one) => Object.keys(one)).map((name) => `<code>${name}</code>`);
  return `<article id="${anchor(method, path)}">
<h3>${escapeMarkup(summary)}</h3>
<p class="call"><b class="${method.toLowerCase()}">${method}</b> <code>${escapeMarkup(path)}</code></p>
${description ? `<p>${prose(description)}</p>` : ''}
<p>${ways.length > 0 ? `With ${ways.join(' or ')}.` : 'For anyone.'}</p>
${parametersText(operation)}${bodyText(operation)}${responsesText(operation)}
</article>`;
}

function parametersText({ parameters = [] }: Operation): string {
  const rows = parameters.map((parameter) => {
    const { name, in: place, required, schema = {}, description } = parameter;
    const about = description ?? schema.description ?? '';
    return `<tr><td><code>${escapeMarkup(name)}</code></td><td>${place}</td><td>${typeText(schema)}</td><td>${required ? 'required' : ''}</td><td>${prose(about)}</td></tr>`;
  });
  return rows.length === 0
    ? ''
    : `<h4>Parameters</h4><table><tbody>${rows.join('')}</tbody></table>`;
}

function bodyText({ requestBody }: Operation): string {
  const texts = Object.entries(requestBody?.content ?? {}).map(([type, { schema = {} }]) => {
    const members = memberRows(schema);
    const text = members
      ? `<table><tbody>${members}</tbody></table>`
      : `<p>${typeText(schema)}</p>`;
    return `<h4>Body <small>${escapeMarkup(type)}</small></h4>${text}`;
  });
  return texts.join('');
}

function responsesText({ responses = {} }: Operation): string {
  const rows = Object.entries(responses).map(([status, { content = {}, description }]) => {
    const texts = Object.entries(content).map(([type, { schema = {} }]) =>
      type === 'application/json' ? typeText(schema) : `${escapeMarkup(type)}: ${typeText(schema)}`,
    );
    return `<tr><td>${escapeMarkup(status)}</td><td>${texts.join('<br>')}</td><td>${prose(description)}</td></tr>`;
  });
  return `<h4>Answers</h4><table><tbody>${rows.join('')}</tbody></table>`;
}

function schemasText({ components }: OpenApiDocument): string {
  const texts = Object.entries(components?.schemas ?? {}).map(([name, schema]) => {
    const members = memberRows(schema);
    const text = members
      ? `<table><tbody>${members}</tbody></table>`
      : `<p>${typeText(schema)}</p>`;
    return `<article id="${anchor('schema', name)}"><h3>${escapeMarkup(name)}</h3>${text}</article>`;
  });
  return `<section><h2 id="schemas">Schemas</h2>${texts.join('')}</section>`;
}
