import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { commandFor, type ServerAccount } from '../../../packages/embedded-postgres/src/server-account.js';
import { ClusterNode, type Command } from './cluster-node.js';
import { postgresPrograms, programs } from './programs.js';

const CONFIGURATION = path.resolve(__dirname, '../../../deploy/patroni');
/** The ports in the files of deploy/patroni. */
export const PORTS = {
  postgres: 5432,
  patroni: 8008,
  etcdClients: 2379,
  etcdPeers: 2380,
  haproxy: 5000,
  pgbouncer: 6432,
};
export const SUPERUSER = { user: 'postgres', password: 'SUPERUSER', database: 'postgres' };
export const SERVICE = { user: 'formtrail_service', password: 'SERVICE', database: 'formtrail' };

/** Writes the files of deploy/patroni with directories, addresses and ports of this machine. */
export class Places {
  constructor(
    private readonly directory: string,
    private readonly network: string,
    private readonly ports: typeof PORTS,
    private readonly account: ServerAccount,
  ) {}

  async node(name: string, address: string): Promise<ClusterNode> {
    const directory = await this.directoryOf(name);
    const own = (text: string) => text.replaceAll('THIS_NAME', name).replaceAll('THIS_ADDRESS', address);
    const etcd = own(await this.read('etcd.env', directory));
    const file = await this.write(directory, 'patroni.yml', own(await this.read('patroni.yml', directory)));
    const environment = Object.fromEntries(
      [...etcd.matchAll(/^(\w+)=(.*)$/gm)].map(
        ([, variable, value]) => [variable, value] as [string, string],
      ),
    );
    const { patroni, postgres } = this.ports;
    return new ClusterNode(
      name,
      directory,
      [{ file: programs.etcd, args: [], environment }, this.asServer(programs.patroni, [file])],
      `http://${address}:${patroni}`,
      { host: address, port: postgres, ...SUPERUSER },
    );
  }

  async haproxy(): Promise<Command> {
    const directory = await this.directoryOf('haproxy');
    const file = await this.write(directory, 'haproxy.cfg', await this.read('haproxy.cfg', directory));
    return { file: programs.haproxy, args: ['-db', '-f', file] };
  }

  async pgbouncer(): Promise<Command> {
    const directory = await this.directoryOf('pgbouncer');
    await this.write(directory, 'userlist.txt', `"${SERVICE.user}" "${SERVICE.password}"\n`);
    const file = await this.write(directory, 'pgbouncer.ini', await this.read('pgbouncer.ini', directory));
    return this.asServer(programs.pgbouncer, [file]);
  }

  async directoryOf(name: string): Promise<string> {
    const directory = path.join(this.directory, name);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await this.handOver(directory);
    return directory;
  }

  private async read(name: string, directory: string): Promise<string> {
    const text = await readFile(path.join(CONFIGURATION, name), 'utf8');
    const ports = Object.entries(PORTS).map(([what, port]): [string, number] => [
      String(port),
      this.ports[what as keyof typeof PORTS],
    ]);
    return text
      .replace(new RegExp(`\\b(${ports.map(([port]) => port).join('|')})\\b`, 'g'), (port) =>
        String(new Map(ports).get(port)),
      )
      .replaceAll('127.0.0.1', `${this.network}.4`)
      .replaceAll(/10\.0\.\d+\.0\/24/g, '127.0.0.0/8')
      .replaceAll('10.0.2.', `${this.network}.`)
      .replaceAll(/\/usr\/lib\/postgresql\/\d+\/bin/g, postgresPrograms ?? '')
      .replaceAll(/\/var\/lib\/postgresql\/\d+\/formtrail/g, path.join(directory, 'data'))
      .replaceAll('/var/lib/etcd/formtrail', path.join(directory, 'etcd'))
      .replaceAll('/etc/pgbouncer/', `${directory}/`);
  }

  private async write(directory: string, name: string, text: string): Promise<string> {
    const file = path.join(directory, name);
    await writeFile(file, text, { mode: 0o600 });
    await this.handOver(file);
    return file;
  }

  private async handOver(file: string): Promise<void> {
    const { uid, gid } = this.account.owner;
    await chown(file, uid, gid);
  }

  /** Runs the program as the server account, because PostgreSQL and PgBouncer reject root. */
  private asServer(program: string, programArgs: string[]): Command {
    const [file, args] = commandFor(this.account, program, programArgs);
    return { file, args, owner: this.account.switchTo };
  }
}
