// The screens of the console. A new screen is one line here and a folder in screens/.
import { type ComponentType, lazy } from 'react';
import DeadLettersScreen from './screens/dead-letters/dead-letters-screen.tsx';
import ExecutionScreen from './screens/execution/execution-screen.tsx';
import ExecutionsScreen from './screens/executions/executions-screen.tsx';
import ForecastScreen from './screens/forecast/forecast-screen.tsx';
import JobScreen from './screens/job/job-screen.tsx';
import JobsScreen from './screens/jobs/jobs-screen.tsx';
import OverviewScreen from './screens/overview/overview-screen.tsx';
import TaskScreen from './screens/tasks/task-screen.tsx';
import TasksScreen from './screens/tasks/tasks-screen.tsx';
import WhyScreen from './screens/why/why-screen.tsx';
import WorkersScreen from './screens/workers/workers-screen.tsx';
import { DeadLetterCount } from './shell/dead-letter-count.tsx';

export interface Screen {
  /** The path below `/console`, with the parameters of wouter: `/jobs/:id`. */
  readonly path: string;
  readonly screen: ComponentType;
  /** The entry of the side bar. Screens without one are reached by links. `Count` is shown behind the text. */
  readonly menu?: { readonly text: string; readonly operatorsOnly?: boolean; readonly Count?: ComponentType };
  /** The letter after `g`. */
  readonly goKey?: string;
}

/**
 * The screens, in the order of the side bar. All are in one script, except the large form of jobs. A script for each of the small ones
 * would lead to dozens of files, because esbuild makes one for each set of screens that share a module.
 */
export const SCREENS: readonly Screen[] = [
  {
    path: '/',
    screen: OverviewScreen,
    menu: { text: 'Overview' },
    goKey: 'o',
  },
  {
    path: '/jobs',
    screen: JobsScreen,
    menu: { text: 'Jobs' },
    goKey: 'j',
  },
  // Before /jobs/:id, which would match it.
  { path: '/jobs/new', screen: lazy(() => import('./screens/edit/job-form-screen.tsx')) },
  { path: '/jobs/:id/edit', screen: lazy(() => import('./screens/edit/job-form-screen.tsx')) },
  { path: '/jobs/:id', screen: JobScreen },
  { path: '/jobs/:id/why', screen: WhyScreen },
  {
    path: '/executions',
    screen: ExecutionsScreen,
    menu: { text: 'Executions' },
    goKey: 'e',
  },
  {
    path: '/dead-letters',
    screen: DeadLettersScreen,
    menu: { text: 'Dead letters', Count: DeadLetterCount },
    goKey: 'd',
  },
  { path: '/executions/:id', screen: ExecutionScreen },
  { path: '/forecast', screen: ForecastScreen, menu: { text: 'Forecast' }, goKey: 'f' },
  { path: '/tasks', screen: TasksScreen, menu: { text: 'Tasks' }, goKey: 't' },
  { path: '/tasks/:name', screen: TaskScreen },
  { path: '/workers', screen: WorkersScreen, menu: { text: 'Workers', operatorsOnly: true }, goKey: 'w' },
];

/** The screen of `/console/`. */
export const HOME = '/';
