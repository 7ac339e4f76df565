// Stops a program that npm has started when npm's shell ends. npm sends SIGTERM to the shell, which ends without passing the signal
// on. Not on Windows, which has no signals to pass on, and where reading the parent's id is expensive.

export function stopWithShell() {
  if (process.platform === 'win32') return;
  const shell = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(timer);
    process.kill(process.pid, 'SIGTERM');
  }, 250);
  timer.unref();
}
