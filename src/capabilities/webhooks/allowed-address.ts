import ipaddr from 'ipaddr.js';

/**
 * The IPv6 addresses of internet hosts (RFC 4291). Other IPv6 addresses are rejected, even
 * if they are not assigned yet.
 */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Public addresses that reach a cloud's own services, but only from within that cloud: the host agent of Azure, and
 * the service networks of IBM Cloud. No registry or library lists these addresses. The metadata services of other
 * clouds do not have public addresses.
 */
const CLOUD_SERVICES = ['168.63.129.16', '161.26.0.0/16', '166.8.0.0/14'];

/**
 * Whether a webhook may be sent to this address (W5). An IPv4-mapped IPv6 address counts as the IPv4 address.
 *
 * @param allowed addresses and CIDR blocks that are allowed although they are not public
 */
export function isAllowedAddress(text: string, allowed: readonly string[]): boolean {
  // A zone, as in fe80::1%eth0, names a network interface of this machine, so the address is not public.
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
