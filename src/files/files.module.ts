import { Logger, Module } from '@nestjs/common';
import { Environment } from '../config/environment.js';
import { Database } from '../database/database.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { FileContentsController } from './file-contents.controller.js';
import { FileContentsService } from './file-contents.service.js';
import { FileWorkService } from './file-work.service.js';
import { FileWorker } from './file-worker.js';
import { FilesController } from './files.controller.js';
import { FilesService } from './files.service.js';
import { Clamd } from './scanning/clamd.js';
import type { FileStorage } from './storage/file-storage.js';
import { StorageGateway } from './storage/storage-gateway.js';
import { openStorage } from './storage/open-storage.js';

const STORAGE = Symbol('storage of files');

@Module({
  imports: [SubmissionsModule],
  controllers: [FilesController, FileContentsController],
  providers: [
    {
      provide: STORAGE,
      inject: [Environment],
      useFactory: ({ filesUrl = '' }: Environment) => openStorage(filesUrl),
    },
    {
      provide: StorageGateway,
      inject: [STORAGE],
      useFactory: (storage: FileStorage) => new StorageGateway(storage),
    },
    {
      provide: FileWorker,
      inject: [Database, STORAGE, Environment],
      useFactory: (database: Database, storage: FileStorage, { clamdUrl }: Environment) => {
        const logger = new Logger('Files');
        const clamd = clamdUrl === undefined ? undefined : new Clamd(clamdUrl);
        return new FileWorker(database, storage, clamd, (warning) => logger.warn(warning));
      },
    },
    FilesService,
    FileContentsService,
    FileWorkService,
  ],
})
export class FilesModule {}
