/** Whether a process with this id exists. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: the process exists and belongs to another user
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
