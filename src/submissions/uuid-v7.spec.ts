import { uuidV7 } from './uuid-v7.js';

describe('a UUID of version 7', () => {
  it('begins with its milliseconds, and says what it is', () => {
    expect(uuidV7(0x01_93_4a_5b_6c_7d)).toMatch(/^01934a5b-6c7d-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    expect(uuidV7(1)).toMatch(/^00000000-0001-7/);
  });

  it('is another one each time, in the order of time', () => {
    const uuids = Array.from({ length: 1_000 }, (_, index) => uuidV7(Date.now() + index));
    expect(new Set(uuids).size).toBe(1_000);
    expect([...uuids].sort()).toEqual(uuids);
  });
});
