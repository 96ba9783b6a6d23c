import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FormsModule } from '../forms/forms.module.js';
import { CompletionChecks } from './completion/checks-completion.js';
import { CompletionService } from './completion/completion.service.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { OwnSubmissionsService } from './list/own-submissions.service.js';
import { SubmissionGuards } from './guards-submissions.js';
import { IncludedConditionsService } from './included-conditions.service.js';
import { HeavyReadsService } from './lifecycle/heavy-reads.service.js';
import { MovesService } from './lifecycle/moves.service.js';
import { SubmissionFormsService } from './lifecycle/submission-forms.service.js';
import { SubmissionCreator } from './lifecycle/submission-creator.service.js';
import { SubmissionWriter } from './lifecycle/submission-writer.service.js';
import { RecordsController } from './records/records.controller.js';
import { RecordsService } from './records/records.service.js';
import { SubmissionsController } from './submissions.controller.js';
import { SubmissionsService } from './lifecycle/submissions.service.js';
import { ValuesChecks } from './values/checks-values.js';
import { UserStorageService } from './values/user-storage.service.js';
import { ValuesService } from './values/values.service.js';

@Module({
  imports: [DiscoveryModule, FormsModule],
  controllers: [SubmissionsController, RecordsController],
  providers: [
    SubmissionsService,
    HeavyReadsService,
    MovesService,
    IncludedConditionsService,
    OwnSubmissionsService,
    ValuesService,
    UserStorageService,
    ValuesChecks,
    CompletionService,
    CompletionChecks,
    RecordsService,
    SubmissionFormsService,
    SubmissionCreator,
    SubmissionGuards,
    SubmissionWriter,
    IdempotencyService,
  ],
  exports: [SubmissionsService, SubmissionFormsService, SubmissionWriter, UserStorageService],
})
export class SubmissionsModule {}
