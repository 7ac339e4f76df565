// A sign of life for the container's health check: a file that is touched for as long as the event loop turns and the
// worker is well. It says nothing about DynamoDB or SQS: a worker that waits for them is not mended by a restart.
import { writeFileSync } from 'node:fs';

const TOUCH_MS = 10_000;

export function showAlive(file: string, isWell: () => boolean): { stop(): void } {
  const touch = () => {
    if (isWell()) writeFileSync(file, '');
  };
  touch();
  const timer = setInterval(touch, TOUCH_MS);
  return { stop: () => clearInterval(timer) };
}
