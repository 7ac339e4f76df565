export function mutate(_rule: string): void {}
