import { Module } from '@nestjs/common';
import { FormsModule } from '../forms/forms.module.js';
import { IdempotencyService } from './idempotency.service.js';
import { SubmissionFormsService } from './submission-forms.service.js';
import { SubmissionWriter } from './submission-writer.service.js';
import { SubmissionsController } from './submissions.controller.js';
import { SubmissionsService } from './submissions.service.js';
import { ValuesService } from './values.service.js';

@Module({
  imports: [FormsModule],
  controllers: [SubmissionsController],
  providers: [
    SubmissionsService,
    ValuesService,
    SubmissionFormsService,
    SubmissionWriter,
    IdempotencyService,
  ],
  exports: [SubmissionsService],
})
export class SubmissionsModule {}
