// The forecast of the page. It is computed in slices of a few milliseconds, so that input is handled in between.
import { useEffect, useMemo, useState } from 'react';
import { CELL_MS, type Forecast, forecastSteps, type PlannedJob, spanOf } from './compute-forecast.ts';

/** A slice is shorter than a frame. */
const SLICE_MS = 8;

export interface ForecastState {
  /** Undefined until the first one is complete. An earlier one stays while the next is computed. */
  readonly forecast: Forecast | undefined;
  readonly isComputing: boolean;
}

/** Computed again when a job changes, and when the next cell begins. `jobs` is undefined until they are read. */
export function useForecast(jobs: readonly PlannedJob[] | undefined, now: number): ForecastState {
  const [state, setState] = useState<{ of: string; forecast: Forecast }>();
  // Each poll has new objects. The next run of a job changes all the time and does not matter here.
  const signature = jobs && JSON.stringify([jobs.map(({ id, version }) => [id, version]), cellOf(now)]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the signature stands for the jobs and the time
  const input = useMemo(() => jobs && { jobs, now }, [signature]);
  useEffect(() => {
    if (!input || signature === undefined) return;
    return inSlices(forecastSteps(input.jobs, spanOf(input.now), input.now), (forecast) =>
      setState({ of: signature, forecast }),
    );
  }, [input, signature]);
  return { forecast: state?.forecast, isComputing: state?.of !== signature };
}

const cellOf = (now: number): number => Math.floor(now / CELL_MS);

/** Returns a function that stops it. */
function inSlices<Result>(steps: Generator<void, Result, void>, done: (result: Result) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  const slice = () => {
    const end = performance.now() + SLICE_MS;
    do {
      const step = steps.next();
      if (step.done) return done(step.value);
    } while (performance.now() < end);
    timer = setTimeout(slice);
  };
  timer = setTimeout(slice);
  return () => clearTimeout(timer);
}
