let isDown = false;
addEventListener('pointerdown', () => (isDown = true), true);
for (const name of ['pointerup', 'pointercancel']) addEventListener(name, () => (isDown = false), true);

/** Runs now, or after the click that has begun: an error that appears between press and release would move the button away. */
export function afterPointer(run: () => void): void {
  if (!isDown) run();
  else addEventListener('pointerup', () => setTimeout(run), { once: true });
}
