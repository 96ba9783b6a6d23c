import 'reflect-metadata';
import { readEnvironment } from './src/config/environment.js';
import { createDataSource } from './src/server/data-source.js';
import { openDatabase } from './src/server/open-database.js';

/** For the TypeORM command line: `npx typeorm migration:show -d dist/ormconfig.js`. */
export default (async () => {
  const say = (sentence: string) => process.stderr.write(`${sentence}\n`);
  const database = await openDatabase(readEnvironment(process.env, say), say);
  const dataSource = createDataSource(database.direct.connection, { size: 2, deadlines: false });
  const destroy = dataSource.destroy.bind(dataSource);
  dataSource.destroy = async () => {
    await destroy();
    await database.release();
  };
  return dataSource;
})();
