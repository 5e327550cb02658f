import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The emptiest server that a device accepts: every card opens, every heartbeat is answered. Prints its port. */
const CARD = '{"AcsRes":"1","ActIndex":"0","Time":"1","Name":"A","Note":"B"}';

const server = createServer((request, response) => {
  const isHeartbeat = request.url?.includes('heartbeat') === true;
  let body = '';
  request.on('data', (chunk) => {
    if (isHeartbeat) body += chunk;
  });
  request.on('end', () => {
    const answer = isHeartbeat ? JSON.stringify({ Key: JSON.parse(body).Key }) : CARD;
    response.writeHead(200, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(answer),
    });
    response.end(answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', 16_384, () => {
  console.log((server.address() as AddressInfo).port);
});
process.on('disconnect', () => process.exit());
