// The import is cut off twice and continues from its last checkpoint. `npx vitest run` runs it.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineJob, simulate } from 'punctual/testing';
import { expect, test } from 'vitest';
import { createImportRows } from './tasks/import-rows.ts';

const DAY = { from: '2026-11-01T00:00:00Z', to: '2026-11-02T00:00:00Z' };

test('an import that is cut off twice has every row once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'import-'));
  try {
    const file = join(folder, 'rows.csv');
    const rows = Array.from({ length: 950 }, (_, i) => `row ${i}`);
    writeFileSync(file, rows.join('\n'));
    const saved: string[] = [];
    const fences = new Set<number>();
    let batches = 0;
    const importRows = createImportRows(async (batch, fence) => {
      batches++;
      if (batches === 4 || batches === 7) throw new Error('the database is restarted');
      fences.add(fence);
      saved.push(...batch);
    });
    const job = defineJob(importRows, {
      name: 'import',
      params: { file },
      schedule: { cron: '0 3 * * *' },
      retry: { maxAttempts: 5, backoffSeconds: 30 },
    });
    const { of } = await simulate({ jobs: [job], tasks: [importRows], ...DAY });
    expect(saved).toEqual(rows);
    expect([...fences]).toEqual([...fences].sort((a, b) => a - b));
    expect(of('import')).toMatchObject([
      { status: 'succeeded', attempt: 3, result: { lines: 950, skipped: 500 } },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
