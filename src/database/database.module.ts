import { type DynamicModule, Global, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ChangeListener } from './change-listener.js';
import { Database } from './database.js';

/**
 * Provides the database. The caller opens the database before it creates the application, and closes it after the
 * application.
 */
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
