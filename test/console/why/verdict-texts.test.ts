// The texts of verdicts, and the pages of evidence.
import { expect, it } from 'vitest';
import { pageOfEvidence, VERDICT_TEXTS } from '../../../console/screens/why/verdict-texts.ts';
import { VERDICTS } from '../../../src/domain/views/explanation.ts';

it('has a text for every verdict of the API', () => {
  expect(Object.keys(VERDICT_TEXTS).sort()).toEqual(Object.keys(VERDICTS).sort());
});

it('opens the page of evidence', () => {
  expect(pageOfEvidence('/jobs/job_a/changes')).toBe('/jobs/job_a?tab=changes');
  expect(pageOfEvidence('/executions/job_a.1')).toBe('/executions/job_a.1');
});
