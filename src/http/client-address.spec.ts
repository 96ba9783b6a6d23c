import { countedAddress } from './client-address.js';

describe('E4: the address that the rate limit counts', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['203.0.113.9', '203.0.113.9'],
    ['255.255.255.255', '255.255.255.255'],
  ])('counts the whole IPv4 address %s', (ip, counted) => {
    expect(countedAddress(ip)).toBe(counted);
  });

  it.each([
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
  ])('counts the IPv4-mapped IPv6 address %s as %s', (ip, counted) => {
    expect(countedAddress(ip)).toBe(counted);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0000:0000:0000:0001'],
    ['2001:db8::', '2001:db8:0:0:8000::'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['2001:db8:0:1::', '2001:db8:0:1:ffff::203.0.113.9'],
  ])('counts %s and %s together, because they share a /64', (one, other) => {
    expect(countedAddress(one)).toBe(countedAddress(other));
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:3::1'],
    ['2001:db8:1:2::1', '2001:db8:2:2::1'],
    ['2001:db8:0:1::', '2001:db8:1:0::'],
    ['::ffff:203.0.113.9', '::ffff:203.0.113.8'],
    ['::ffff:203.0.113.9', '::ffff:0:203.0.113.9'],
    ['203.0.113.9', '203.0.113.90'],
    ['::1', '127.0.0.1'],
  ])('counts %s and %s separately', (one, other) => {
    expect(countedAddress(one)).not.toBe(countedAddress(other));
  });

  it.each([
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:203.0.113.9]:4711', '203.0.113.9'],
  ])('E7: counts %s as %s, without the port', (hop, ip) => {
    expect(countedAddress(hop)).toBe(countedAddress(ip));
  });

  it.each(['', 'unknown', '_hidden', '1.2.3.4:x', ':::', '[2001:db8::1'])(
    'counts %j, which is not an address, as it is',
    (text) => {
      expect(countedAddress(text)).toBe(text);
    },
  );
});
