import ipaddr from 'ipaddr.js';

/** Some proxies send an IPv6 address in brackets, or append a port to the address (E7). */
const WITH_PORT = /^(?:\[([\da-f:.]*:[\da-f:.]*(?:%\w+)?)\]|(\d+\.\d+\.\d+\.\d+))(?::\d+)?$/i;

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** Returns a function that checks whether a hop of `X-Forwarded-For` is in `proxies`: addresses and CIDR blocks (E7). */
export function trustsProxies(proxies: readonly string[]): (hop: string) => boolean {
  const ranges = proxies.map(rangeOf);
  return (hop) => {
    const address = withoutPort(hop);
    return ipaddr.isValid(address) && ranges.some((range) => isWithin(ipaddr.process(address), range));
  };
}

function isWithin(address: ipaddr.IPv4 | ipaddr.IPv6, [network, bits]: Range): boolean {
  return address.kind() === network.kind() && address.match([network, bits] as never);
}

/**
 * Converts a block of IPv4-mapped IPv6 addresses to IPv4, because hops are compared as IPv4. A server that listens on `::` sees
 * IPv4 clients under mapped addresses.
 */
function rangeOf(proxy: string): Range {
  const allBits = proxy.includes(':') ? 128 : 32;
  const [network, bits] = ipaddr.parseCIDR(proxy.includes('/') ? proxy : `${proxy}/${allBits}`);
  const isMapped = network instanceof ipaddr.IPv6 && network.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [network.toIPv4Address(), bits - 96] : [network, bits];
}

function withoutPort(hop: string): string {
  const [, inBrackets, dotted] = WITH_PORT.exec(hop) ?? [];
  return inBrackets ?? dotted ?? hop;
}

/**
 * Returns the address that the rate limit counts: an IPv4 address, or the /64 of an IPv6 address (E4). Returns other
 * text unchanged.
 */
export function countedAddress(hop: string): string {
  const ip = withoutPort(hop);
  if (!ip.includes(':') || !ipaddr.IPv6.isValid(ip)) return ip;
  const address = ipaddr.IPv6.parse(ip);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${address.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
