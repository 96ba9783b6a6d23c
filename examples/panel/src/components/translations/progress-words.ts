/** How much is translated. Rounded down, so that 100 % means all. */
export const progressWords = (translated: number, total: number): string =>
  total === 0
    ? 'no texts'
    : `${translated} of ${total} text${total === 1 ? '' : 's'}, ${Math.floor((100 * translated) / total)} %`;
