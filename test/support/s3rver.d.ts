declare module 's3rver' {
  interface Options {
    readonly directory: string;
    readonly address: string;
    readonly port: number;
    readonly silent: boolean;
    readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
  }

  export default class S3rver {
    constructor(options: Options);
    /** The server's Koa middleware. */
    readonly middleware: ((
      context: { readonly method: string; querystring: string; headers: NodeJS.Dict<string | string[]> },
      next: () => Promise<void>,
    ) => Promise<void>)[];
    run(): Promise<import('node:net').AddressInfo>;
    close(): Promise<void>;
  }
}
