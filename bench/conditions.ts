// The conditions of a benchmark: machine, versions, time and load. They are needed to compare two runs.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg } from 'node:os';
import type { Engine } from './report.ts';

export interface Conditions {
  readonly startedAt: Date;
  readonly machine: string;
  readonly node: string;
  readonly engines: string;
  /** The load average before the benchmark. Above a few tenths, other programs were running. */
  readonly loadAverage: number;
}

export const conditions = (engine: Engine): Conditions => ({
  startedAt: new Date(),
  machine: `${cpus().length} × ${cpus()[0]?.model.trim()}`,
  node: process.version,
  engines: engine === 'aws' ? awsEngines() : `SQLite ${process.versions.sqlite}`,
  loadAverage: Number(loadavg()[0]?.toFixed(2)),
});

export const awsEngines = (): string =>
  `dynoxide ${versionOf(`@dynoxide/${process.platform}-${process.arch}`)}, fauxqs ${versionOf('fauxqs')}`;

/** Reads the file, because not every package exports its package.json. */
function versionOf(name: string): string {
  for (const folder of createRequire(import.meta.url).resolve.paths(name) ?? []) {
    try {
      return (JSON.parse(readFileSync(`${folder}/${name}/package.json`, 'utf8')) as { version: string })
        .version;
    } catch {}
  }
  return '(none)';
}
