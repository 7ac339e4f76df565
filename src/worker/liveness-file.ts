// The liveness file of the container's health check. It is touched while the event loop runs and the worker is healthy. It says
// nothing about DynamoDB or SQS, because a restart does not help a worker that waits for them.
import { writeFileSync } from 'node:fs';

const TOUCH_MS = 10_000;

export function touchWhileAlive(file: string, isHealthy: () => boolean): { stop(): void } {
  const touch = () => {
    if (isHealthy()) writeFileSync(file, '');
  };
  touch();
  const timer = setInterval(touch, TOUCH_MS);
  return { stop: () => clearInterval(timer) };
}
