import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SAMPLE_ANSWER } from './sample-answer.ts';

/** The same answer as the empty Fastify route, on `node:http`. */
const text = JSON.stringify(SAMPLE_ANSWER);
const headers = {
  'content-type': 'application/json; charset=utf-8',
  'content-length': text.length,
};

const server = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => {
    JSON.parse(body);
    response.writeHead(200, headers).end(text);
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  console.log(JSON.stringify({ url: `http://127.0.0.1:${port}` }));
});
process.on('SIGTERM', () => process.exit(0));
