import { countedAddress } from './client-address.js';

describe('E4: what the rate limit counts of an address', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['203.0.113.9', '203.0.113.9'],
    ['255.255.255.255', '255.255.255.255'],
  ])('counts the IPv4 address %s whole', (ip, counted) => {
    expect(countedAddress(ip)).toBe(counted);
  });

  it.each([
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:203.0.113.9', '203.0.113.9'],
    ['::ffff:cb00:7109', '203.0.113.9'],
    ['0:0:0:0:0:ffff:cb00:7109', '203.0.113.9'],
  ])('counts %s, an IPv4 address in the clothes of IPv6, as %s', (ip, counted) => {
    expect(countedAddress(ip)).toBe(counted);
  });

  it.each([
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff'],
    ['2001:db8:1:2::1', '2001:0DB8:0001:0002:0000:0000:0000:0001'],
    ['2001:db8::', '2001:db8:0:0:8000::'],
    ['::1', '::2'],
    ['fe80::1%eth0', 'fe80::2%eth1'],
    ['2001:db8:0:1::', '2001:db8:0:1:ffff::203.0.113.9'],
  ])('counts %s and %s, of one /64, together', (one, other) => {
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
  ])('counts %s and %s apart', (one, other) => {
    expect(countedAddress(one)).not.toBe(countedAddress(other));
  });

  it.each([
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['[::ffff:203.0.113.9]:4711', '203.0.113.9'],
  ])('E7: counts %s as %s, whatever its port', (hop, ip) => {
    expect(countedAddress(hop)).toBe(countedAddress(ip));
  });

  it.each(['', 'unknown', '_hidden', '1.2.3.4:x', ':::', '[2001:db8::1'])(
    'takes %j, which is no address, as it is and does not fail',
    (text) => {
      expect(countedAddress(text)).toBe(text);
    },
  );
});
