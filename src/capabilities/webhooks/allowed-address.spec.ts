import ipaddr from 'ipaddr.js';
import { isAllowedAddress } from './allowed-address.js';

const words = (text: string) => text.trim().split(/\s+/);

/** All blocks of the IANA IPv4 Special-Purpose Address Registry, and the multicast addresses of RFC 5771. */
const IPV4_REGISTRY = words(`
  0.0.0.0/8 0.0.0.0/32 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24
  192.0.0.0/29 192.0.0.8/32 192.0.0.9/32 192.0.0.10/32 192.0.0.170/32 192.0.0.171/32 192.0.2.0/24
  192.31.196.0/24 192.52.193.0/24 192.88.99.0/24 192.88.99.2/32 192.168.0.0/16 192.175.48.0/24
  198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4 255.255.255.255/32
`);

/**
 * All blocks of the IANA IPv6 Special-Purpose Address Registry, and the addresses of RFC
 * 4291 that are not global unicast.
 */
const IPV6_REGISTRY = words(`
  ::1/128 ::/128 ::/96 64:ff9b::/96 64:ff9b:1::/48 100::/64 100:0:0:1::/64 2001::/23 2001::/32
  2001:1::1/128 2001:1::2/128 2001:1::3/128 2001:2::/48 2001:3::/32 2001:4:112::/48 2001:10::/28
  2001:20::/28 2001:30::/28 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20 5f00::/16 8000::/1
  fc00::/7 fe80::/10 fec0::/10 ff00::/8
`);

/** Services that clouds offer to their own machines, mostly metadata services. */
const CLOUD_SERVICES: readonly [cloud: string, address: string][] = [
  ['AWS, Google, Azure, OpenStack and more', '169.254.169.254'],
  ['AWS, by IPv6', 'fd00:ec2::254'],
  ['containers of AWS, and Tencent', '169.254.170.2'],
  ['Google, by IPv6', 'fd20:ce::254'],
  ['Scaleway, by IPv6', 'fd00:42::42'],
  ['Alibaba', '100.100.100.200'],
  ['Oracle', '192.0.0.192'],
  ['the host agent of Azure', '168.63.129.16'],
  ['the services of IBM Cloud', '161.26.0.10'],
  ['the service endpoints of IBM Cloud', '166.9.250.195'],
];

/** Returns the first address of a block, the last address, and an address in between. */
function addressesIn(block: string): string[] {
  const [network, bits] = ipaddr.parseCIDR(block);
  const bytes = network.toByteArray();
  const filledFrom = (first: number) =>
    ipaddr
      .fromByteArray(
        bytes.map((byte, index) => {
          const free = Math.min(Math.max((index + 1) * 8 - first, 0), 8);
          return byte | (2 ** free - 1);
        }),
      )
      .toString();
  const width = bytes.length * 8;
  return [network.toString(), filledFrom(bits), filledFrom(Math.ceil((bits + width) / 2))];
}

/** Returns an IPv4 address in its IPv6 forms: mapped, compatible, translated (SIIT), NAT64, 6to4 and Teredo. */
function carriersOf(address: string): string[] {
  const [first = 0, second = 0, third = 0, fourth = 0] = address.split('.').map(Number);
  const [high, low] = [(first * 256 + second).toString(16), (third * 256 + fourth).toString(16)];
  const inverted = [high, low].map((part) => (0xffff ^ parseInt(part, 16)).toString(16)).join(':');
  return [
    `::ffff:${address}`,
    `::ffff:${high}:${low}`,
    `::${address}`,
    `::ffff:0:${address}`,
    `64:ff9b::${address}`,
    `64:ff9b:1::${address}`,
    `2002:${high}:${low}::1`,
    `2001:0:4136:e378:8000:63bf:${inverted}`,
  ];
}

const allowed = (addresses: readonly string[]) => addresses.filter((one) => isAllowedAddress(one, []));

describe('W5: a webhook is never sent to', () => {
  it.each([...IPV4_REGISTRY, ...IPV6_REGISTRY])('an address in %s', (block) => {
    expect(allowed(addressesIn(block))).toEqual([]);
  });

  it.each(IPV4_REGISTRY)('an address in %s that IPv6 carries', (block) => {
    expect(allowed(addressesIn(block).flatMap(carriersOf))).toEqual([]);
  });

  it('a text that is no address', () => {
    expect(allowed(['localhost', ''])).toEqual([]);
  });

  it.each(CLOUD_SERVICES)('a service of a cloud: %s, %s', (_, address) => {
    const written = address.includes(':') ? [address] : [address, ...carriersOf(address)];
    expect(allowed(written)).toEqual([]);
  });
});

it('W5: a webhook may be sent to the addresses next to the forbidden ones', () => {
  const beside = words(`
    1.0.0.0 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.0 169.253.255.255
    169.255.0.0 172.15.255.255 172.32.0.0 192.0.1.0 192.167.255.255 198.17.255.255 198.20.0.0
    223.255.255.255 168.63.129.15 168.63.129.17 161.25.255.255 161.27.0.0 166.7.255.255 166.12.0.0
    2001:200::1 2003::1 2606:4700:4700::1111 2a00::1 1.1.1.1 93.184.215.14 ::ffff:1.1.1.1
  `);
  expect(allowed(beside)).toEqual(beside);
});

it('W5: WEBHOOK_ALLOW allows other addresses, also a cloud service', () => {
  const allow = ['10.1.0.0/16', '127.0.0.1', 'fd00::/8', '168.63.129.16/32'];
  const good = ['10.1.2.3', '::ffff:10.1.2.3', '127.0.0.1', 'fd00::1', '168.63.129.16'];
  const bad = ['10.2.0.1', '127.0.0.2', 'fe80::1'];
  expect([...good, ...bad].filter((one) => isAllowedAddress(one, allow))).toEqual(good);
});
