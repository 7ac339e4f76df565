// The process of an embedded server for benchmarks. Its parent controls it over IPC.
import { runProcess } from '../../src/local/process-lifecycle.ts';
import { startEmbeddedServer } from './embedded-server.ts';

/** If set, the worker receives nothing before the parent opens its receiver. */
const closed = process.env.BENCH_INBOX === 'closed';
process.on('disconnect', () => process.exit());

await runProcess(async (lifecycle) => {
  const server = await startEmbeddedServer(lifecycle, closed);
  const answers: Record<string, () => unknown> = {
    openInbox: server.openInbox,
    async counts() {
      const [process_, main] = [process.cpuUsage(), process.threadCpuUsage()];
      return {
        ...(await server.stats()),
        ended: server.ended(),
        processCpuMs: (process_.user + process_.system) / 1000,
        mainCpuMs: (main.user + main.system) / 1000,
      };
    },
  };
  process.on('message', async ({ call, ask }: { call: number; ask: string }) => {
    process.send?.({ call, answer: await answers[ask]?.() });
  });
  process.send?.({ url: server.url });
});
