import { countedAddress } from './client-address.js';

/** In each group: spellings of addresses that are counted together. A port does not count (E7). */
const GROUPS: readonly [counted: string, ...others: string[]][] = [
  ['203.0.113.9', '::ffff:203.0.113.9', '::FFFF:203.0.113.9', '::ffff:cb00:7109', '203.0.113.9:4711'],
  ['203.0.113.9', '0:0:0:0:0:ffff:cb00:7109', '[::ffff:203.0.113.9]:4711'],
  ['2001:db8:1:2:ffff:ffff:ffff:ffff', '2001:db8:1:2::1', '2001:0DB8:0001:0002:0000:0000:0000:0001'],
  ['2001:db8::', '2001:db8:0:0:8000::', '[2001:db8::1]', '[2001:db8::1]:4711'],
  ['2001:db8:0:1::', '2001:db8:0:1:ffff::203.0.113.9'],
  ['::1', '::2', '::ffff:0:203.0.113.9'],
  ['fe80::1%eth0', 'fe80::2%eth1'],
];
const ALONE = [
  '127.0.0.1',
  '203.0.113.8',
  '203.0.113.90',
  '2001:db8:1:0::',
  '2001:db8:1:3::1',
  '2001:db8:2:2::1',
];

describe('E4: the address that the rate limit counts', () => {
  it.each(GROUPS)(
    'is the same for %s and other addresses of its /64, in any spelling',
    (first, ...others) => {
      for (const other of others) expect(countedAddress(other)).toBe(countedAddress(first));
    },
  );

  it('differs for other networks and other IPv4 addresses, which count whole', () => {
    const all = new Set([...ALONE, ...GROUPS.map(([first]) => first)]);
    expect(new Set([...all].map(countedAddress)).size).toBe(all.size);
    expect(countedAddress('::ffff:203.0.113.9')).toBe('203.0.113.9');
  });

  it('is the text itself if that is not an address', () => {
    const texts = ['', 'unknown', '_hidden', '1.2.3.4:x', ':::', '[2001:db8::1'];
    expect(texts.map(countedAddress)).toEqual(texts);
  });
});
