import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChangeListener } from './change-listener.js';
import { Database } from './database.js';

/** The database as it was opened before the application was made; whoever opened it also closes it. */
@Global()
@Module({})
export class DatabaseModule {
  static of(dataSource: DataSource, listener: ChangeListener): DynamicModule {
    return {
      module: DatabaseModule,
      providers: [
        { provide: DataSource, useValue: dataSource },
        { provide: ChangeListener, useValue: listener },
        Database,
      ],
      exports: [Database, ChangeListener, DataSource],
    };
  }
}
