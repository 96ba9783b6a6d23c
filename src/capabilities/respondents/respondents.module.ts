import { Module } from '@nestjs/common';
import { AuthModule } from '../../auth/auth.module.js';
import { FormsModule } from '../../forms/forms.module.js';
import { SubmissionsModule } from '../../submissions/submissions.module.js';
import { AddressLimitGuard } from './address-limit.guard.js';
import { ChallengesService } from './challenges.service.js';
import { RespondentDrafts } from './respondent-drafts.service.js';
import { RespondentMeasurements } from './respondent-measurements.js';
import { RespondentTokens } from './respondent-tokens.service.js';
import { RespondentSweeper } from './respondent-sweeper.service.js';
import { RespondentsController } from './respondents.controller.js';
import { RespondentsService } from './respondents.service.js';

@Module({
  imports: [AuthModule, FormsModule, SubmissionsModule],
  controllers: [RespondentsController],
  providers: [
    RespondentTokens,
    RespondentDrafts,
    RespondentsService,
    ChallengesService,
    RespondentSweeper,
    RespondentMeasurements,
    AddressLimitGuard,
  ],
})
export class RespondentsModule {}
