// The task of the chaos test: it writes each start and each end to a file that only grows.
import { systemClock } from '../../../src/runtime/clock/system-clock.ts';
import { probeTask } from '../../support/faults/probe.ts';

export const probe = probeTask(process.env.CHAOS_EVIDENCE ?? '', 'embedded', systemClock);
