let isDown = false;
let waiting: (() => void)[] = [];

addEventListener('pointerdown', () => (isDown = true), true);
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, release, true);

function release(): void {
  isDown = false;
  for (const run of waiting) setTimeout(run);
  waiting = [];
}

/** Runs now, or after the click that has begun: an error that appears between press and release would move the button away. */
export function afterPointer(run: () => void): void {
  if (isDown) waiting.push(run);
  else run();
}
