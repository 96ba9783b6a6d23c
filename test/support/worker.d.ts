import type { DataSource } from 'typeorm';
import type { Connection } from '../../src/database/connection.js';

declare global {
  /** Set by environment.cjs. All spec files of a jest worker share it. */
  var worker: {
    /** Sends a request to `service-host.mjs`. Returns the response as JSON. */
    askServiceHost(request: { method: string; url?: string } & object): Promise<string>;
    /** Runs a command in `command-line-host.mjs`. Returns its outcome as JSON. */
    runCommand(command: object): Promise<string>;
    /** The database and the service of `useService()`, without the service if its process has ended. */
    readonly shared: {
      database?: { readonly connection: Connection; readonly dataSource: DataSource };
      url?: string;
    };
    /** Returns an id that no other row of the run has. */
    newId(): number;
    /** Returns why the value violates this schema of the OpenAPI document, or undefined if it is valid. */
    mistakesIn(schema: string, value: unknown): string | undefined;
  };
}
