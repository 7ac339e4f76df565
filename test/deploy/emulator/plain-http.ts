// A listener in front of the emulator that takes TLS and plain HTTP on one port. MiniStack with TLS serves only TLS, but its own JWT
// authorizer reads the keys of the user pool by plain HTTP on the same port.
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Cleanup } from '../cleanup.ts';

/** The first byte of a TLS handshake record. */
const HANDSHAKE = 0x16;

export interface Backend {
  readonly host: string;
  readonly port: number;
  /** The file exists when the emulator has started. */
  readonly certificate: string;
}

export async function listenForBoth(address: string, backend: Backend, cleanup: Cleanup): Promise<void> {
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on('error', () => client.destroy());
    client.on('close', () => sockets.delete(client));
    client.once('data', (first) => {
      client.pause();
      const target = first[0] === HANDSHAKE ? connect(backend.port, backend.host) : connectAsClient(backend);
      target.on('error', () => client.destroy());
      target.on('close', () => client.destroy());
      client.on('close', () => target.destroy());
      target.write(first);
      client.pipe(target);
      target.pipe(client);
    });
  });
  server.listen(backend.port, address);
  await once(server, 'listening');
  cleanup.add(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
}

const connectAsClient = ({ host, port, certificate }: Backend): Socket =>
  connectTls({
    host,
    port,
    servername: 'localhost',
    ca: existsSync(certificate) ? readFileSync(certificate) : undefined,
  });
