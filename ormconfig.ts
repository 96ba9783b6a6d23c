import 'reflect-metadata';
import { readEnvironment } from './src/server/read-environment.js';
import { createDataSource } from './src/server/data-source.js';
import { sayToOperator } from './src/process/say-to-operator.js';
import { openDatabase } from './src/server/open-database.js';

/** For the TypeORM command line: `npx typeorm migration:show -d dist/ormconfig.js`. */
export default (async () => {
  const database = await openDatabase(await readEnvironment(process.env, sayToOperator), sayToOperator);
  const dataSource = createDataSource(database.direct.connection, { size: 2, deadlines: false });
  const destroy = dataSource.destroy.bind(dataSource);
  dataSource.destroy = async () => {
    await destroy();
    await database.release();
  };
  return dataSource;
})();
