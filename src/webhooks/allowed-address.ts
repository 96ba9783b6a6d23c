import ipaddr from 'ipaddr.js';

/** IPv6 that is given to hosts of the internet (RFC 4291). Whatever else there may come to be is not. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses of the internet that lead to a cloud's own services from within that cloud, and nowhere from outside: the host
 * agent of Azure, and the service networks of IBM Cloud. No registry and no library has them. The metadata services of other
 * clouds have addresses that are of no internet anyway.
 */
const CLOUD_SERVICES = ['168.63.129.16', '161.26.0.0/16', '166.8.0.0/14'];

/**
 * W5: whether a webhook may be sent to this address. An IPv4 address counts as itself however IPv6 carries it.
 *
 * @param allowed addresses and CIDR blocks, which may be
 */
export function isAllowedAddress(text: string, allowed: readonly string[]): boolean {
  // A zone, as in fe80::1%eth0, is of this machine only.
  if (!ipaddr.isValid(text) || text.includes('%')) return false;
  const address = ipaddr.process(text);
  if (allowed.some((block) => isIn(address, block))) return true;
  if (address.range() !== 'unicast' || CLOUD_SERVICES.some((block) => isIn(address, block))) return false;
  return address.kind() === 'ipv4' || address.match(GLOBAL_UNICAST);
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, block: string): boolean {
  const [network, bits] = block.includes('/')
    ? ipaddr.parseCIDR(block)
    : [ipaddr.parse(block), address.kind() === 'ipv4' ? 32 : 128];
  return network.kind() === address.kind() && address.match(network, bits);
}
