import { readdir, readFile } from 'node:fs/promises';

/** Linux reports the CPU time of a process in ticks of a hundredth of a second. */
const MICROSECONDS_PER_TICK = 10_000;

/**
 * Returns the parent of a process, and CPU microseconds: `own` of the process, `ended` of
 * its ended children. Linux only.
 */
export async function processTimes(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = rest.slice(9).map((ticks) => ticks * MICROSECONDS_PER_TICK);
  return { parent: Number(parent), own: user + system, ended: endedUser + endedSystem };
}

/**
 * Returns the CPU microseconds of all PostgreSQL processes, or undefined if PostgreSQL runs
 * elsewhere or in a container.
 */
export async function postgresCpu(client) {
  const [{ pid, name }] = (await client.query('select pg_backend_pid() as pid, current_database() as name'))
    .rows;
  // If PostgreSQL runs elsewhere, this pid may belong to any local process. Only our backend
  // has the database in its title.
  const title = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  if (!title.includes(name)) return undefined;
  const { parent: postmaster } = await processTimes(pid);
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  const all = await Promise.all(pids.map((one) => processTimes(one).catch(() => undefined)));
  const { own, ended } = await processTimes(postmaster);
  return all
    .filter((times) => times?.parent === postmaster)
    .reduce((sum, child) => sum + child.own, own + ended);
}
