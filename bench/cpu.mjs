import { readdir, readFile } from 'node:fs/promises';

/** Linux counts the time of processes in hundredths of a second, whatever the machine. */
const MICROSECONDS_PER_TICK = 10_000;

/** A process's parent, and the microseconds of CPU that it has used, and its children that have ended. Linux only. */
export async function processTimes(pid) {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const [, parent, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = rest.slice(9).map((ticks) => ticks * MICROSECONDS_PER_TICK);
  return { parent: Number(parent), own: user + system, ended: endedUser + endedSystem };
}

/** Microseconds of CPU of all processes of the server; undefined where it runs on another machine or in a container. */
export async function postgresCpu(client) {
  const [{ pid, name }] = (await client.query('select pg_backend_pid() as pid, current_database() as name'))
    .rows;
  // A process of that number may be anything here; one that has the name of this run's database in its title is not.
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
