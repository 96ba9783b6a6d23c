import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FormsModule } from '../forms/forms.module.js';
import { CompletionChecks } from './completion/checks-completion.js';
import { CompletionService } from './completion/completion.service.js';
import { IdempotencyService } from './idempotency/idempotency.service.js';
import { OwnSubmissionsService } from './own-submissions.service.js';
import { SubmissionGuards } from './guards-submissions.js';
import { IncludedConditionsService } from './included-conditions.service.js';
import { DraftsService } from './drafts/drafts.service.js';
import { HeavyReadsService } from './drafts/heavy-reads.service.js';
import { MovesService } from './drafts/moves.service.js';
import { SubmissionFormsService } from './drafts/submission-forms.service.js';
import { RecordsController } from './records/records.controller.js';
import { RecordsService } from './records/records.service.js';
import { SubmissionExtenders } from './submission-extenders.js';
import { SubmissionsController } from './submissions.controller.js';
import { SubmissionsService } from './submissions.service.js';
import { ValuesChecks } from './values/checks-values.js';
import { UserStorageService } from './values/user-storage.service.js';
import { ValuesService } from './values/values.service.js';

@Module({
  imports: [DiscoveryModule, FormsModule],
  controllers: [SubmissionsController, RecordsController],
  providers: [
    DraftsService,
    SubmissionFormsService,
    HeavyReadsService,
    OwnSubmissionsService,
    SubmissionsService,
    MovesService,
    IncludedConditionsService,
    ValuesService,
    UserStorageService,
    ValuesChecks,
    CompletionService,
    CompletionChecks,
    RecordsService,
    SubmissionGuards,
    SubmissionExtenders,
    IdempotencyService,
  ],
  exports: [DraftsService, SubmissionFormsService, SubmissionGuards, UserStorageService],
})
export class SubmissionsModule {}
