// The engine of the tables in a process that can be killed: `node test/support/faults/engine.ts <port> <file>`.
import { startDynoxide } from '../../../src/local/dynoxide.ts';

const [port = '', dataPath = ''] = process.argv.slice(2);
const { endpoint, pid } = await startDynoxide({ port: Number(port) || undefined, dataPath });
process.stdin.resume().on('close', () => process.exit(3));
process.stdout.write(`${JSON.stringify({ pid: process.pid, url: endpoint, engine: pid })}\n`);
