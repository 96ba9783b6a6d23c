import { Logger, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Environment } from '../../config/environment.js';
import { FileSettings } from './settings.js';
import { Database } from '../../database/database.js';
import { requireOneServer } from '../../database/distribution.js';
import { SubmissionsModule } from '../../submissions/submissions.module.js';
import { FileCompletionCheck, FileValuesCheck } from './file-checks.js';
import { FileContentsController } from './file-contents.controller.js';
import { FileContentsService } from './file-contents.service.js';
import { FileMeasurements } from './file-measurements.js';
import { FileWorkService } from './file-work.service.js';
import { FileWorker } from './file-worker.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { Clamd } from './scanning/clamd.js';
import type { FileStorage } from './storage/file-storage.js';
import { StorageGateway } from './storage/storage-gateway.js';
import { makeFolder, openStorage } from './storage/open-storage.js';

const STORAGE = Symbol('storage of files');

@Module({
  imports: [SubmissionsModule],
  controllers: [FilesController, FileContentsController],
  providers: [
    {
      provide: STORAGE,
      inject: [Environment, DataSource],
      useFactory: async (environment: Environment, dataSource: DataSource) => {
        const { filesUrl = '', production } = environment.of<FileSettings>();
        await requireOneServer(dataSource, 'Files', 'Remove FILES_URL.');
        const storage = await openStorage(filesUrl);
        const created = await makeFolder(filesUrl);
        if (created !== undefined)
          new Logger('Storage')[production ? 'warn' : 'log'](
            `The folder of FILES_URL, ${created}, was missing, so the service created it. If it should have files already, stop ` +
              'the service and mount its volume.',
          );
        return storage;
      },
    },
    {
      provide: Clamd,
      inject: [FileSettings],
      useFactory: ({ clamdUrl }: FileSettings) => (clamdUrl === undefined ? undefined : new Clamd(clamdUrl)),
    },
    {
      provide: StorageGateway,
      inject: [STORAGE],
      useFactory: (storage: FileStorage) => new StorageGateway(storage),
    },
    {
      provide: FileWorker,
      inject: [Database, STORAGE, Clamd],
      useFactory: (database: Database, storage: FileStorage, clamd: Clamd | undefined) => {
        const logger = new Logger('Files');
        return new FileWorker(database, storage, clamd, (warning) => logger.warn(warning));
      },
    },
    FileValuesCheck,
    FileCompletionCheck,
    FilesService,
    FileContentsService,
    FileWorkService,
    FileMeasurements,
  ],
})
export class FilesModule {}
