export function isEmailAddress(text: string): boolean {
  return /^[^\s@\p{C}]+@[^\s@\p{C}]+$/u.test(text) && Array.from(text).length <= 255;
}
