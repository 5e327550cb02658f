import { expect, test } from 'vitest';
import { xmlValues } from '../../src/device-files/xml.ts';

const valuesIn = (xml: string) => xmlValues(xml)?.map(({ path, value }) => `${path}=${value}`);

test('the values of a document are found by their paths', () => {
  const xml = `<?xml version="1.0"?>
<!-- a < b -->
<reply>
  <gate cmd="OPEN" sec = '5'/>
  <p:text>
    a &lt; b<![CDATA[ & c]]> &#x41;&#66;
  </p:text>
  <empty></empty>
</reply>`;
  expect(valuesIn(xml)).toEqual([
    'reply.gate@cmd=OPEN',
    'reply.gate@sec=5',
    'reply.gate=',
    'reply.p:text=a < b & c AB',
    'reply.empty=',
  ]);
});

test('text between elements is a value, white space is none', () => {
  expect(valuesIn('<a> x <b/> </a>')).toEqual(['a.b=', 'a=x']);
});

test.each([
  ['', 'nothing'],
  ['open', 'no element'],
  ['<a>', 'an element that does not end'],
  ['<a></b>', 'another end'],
  ['<a/><b/>', 'two roots'],
  ['<a/>x', 'a text behind it'],
  ['<a b="1" c>', 'an attribute without a value'],
  ['<a b="<"/>', 'a tag in an attribute'],
  ['<a><!-- x</a>', 'a comment that does not end'],
  ['<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', 'a document type'],
  ['</a>', 'an end without a beginning'],
  ['<a'.repeat(10), 'half a tag'],
  [`${'<a>'.repeat(100)}${'</a>'.repeat(100)}`, 'too deep'],
])('%j is not read: %s', (xml) => expect(xmlValues(xml)).toBeUndefined());
