import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ConditionsModule } from '../conditions/conditions.module.js';
import { FormsModule } from '../forms/forms.module.js';
import { ConditionsController } from './conditions.controller.js';
import { EntityRecord } from './entities/entity-record.js';
import { IdempotencyKey } from './entities/idempotency-key.js';
import { SubmissionValue } from './entities/submission-value.js';
import { Submission } from './entities/submission.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { OwnSubmissionsService } from './list/own-submissions.service.js';
import { SubmissionConditionsService } from './submission-conditions.service.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import { SubmissionWriter } from './lifecycle/submission-writer.service.js';
import { RecordsController } from './records/records.controller.js';
import { RecordsService } from './records/records.service.js';
import { SubmissionsController } from './submissions.controller.js';
import { SubmissionsService } from './lifecycle/submissions.service.js';
import { ValuesService } from './values/values.service.js';

@Module({
  imports: [
    ConditionsModule,
    FormsModule,
    TypeOrmModule.forFeature([Submission, SubmissionValue, EntityRecord, IdempotencyKey]),
  ],
  controllers: [SubmissionsController, RecordsController, ConditionsController],
  providers: [
    SubmissionsService,
    SubmissionConditionsService,
    OwnSubmissionsService,
    ValuesService,
    RecordsService,
    SubmissionFormsService,
    SubmissionWriter,
    IdempotencyService,
  ],
})
export class SubmissionsModule {}
