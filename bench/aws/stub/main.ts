// A process that answers requests to DynamoDB and SQS at once, so that only the caller is measured. It prints its address,
// and ends with its parent.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ANSWERS } from './answers.ts';

const server = createServer((request, response) => {
  const parts: Buffer[] = [];
  request.on('data', (part: Buffer) => parts.push(part));
  request.on('end', () => {
    const target = String(request.headers['x-amz-target']);
    const answer = ANSWERS[target.slice(target.indexOf('.') + 1)];
    const body = answer ? answer(JSON.parse(Buffer.concat(parts).toString())) : '{}';
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
process.stdin.resume().on('end', () => process.exit());
