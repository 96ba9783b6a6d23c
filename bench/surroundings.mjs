import os from 'node:os';

/** Returns lines that describe the machine, the versions and the turns, because the figures depend on them. */
export async function surroundings(client, load, { seconds, pairs }) {
  const [{ server_version }] = (await client.query('show server_version')).rows;
  return [
    ...machine(),
    `PostgreSQL ${server_version} on the same machine, ${load.name}`,
    `each driven ${pairs} ${pairs === 1 ? 'time' : 'times'} for ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`,
  ];
}

export function machine() {
  const memory = Math.round(os.totalmem() / 2 ** 30);
  const load = os.loadavg()[0].toFixed(1);
  return [
    new Date().toISOString().slice(0, 10),
    `${os.availableParallelism()} × ${os.cpus()[0]?.model.trim()}, ${memory} GiB, ${os.type()} ${os.release()}, load ${load} at the end`,
    `Node.js ${process.versions.node}`,
  ];
}
