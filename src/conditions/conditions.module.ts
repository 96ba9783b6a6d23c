import { Module } from '@nestjs/common';
import { FormsModule } from '../forms/forms.module.js';
import { SubmissionsModule } from '../submissions/submissions.module.js';
import { ConditionsController } from './conditions.controller.js';
import { ConditionsService } from './conditions.service.js';
import { FormConditionsController } from './form-conditions.controller.js';
import { FormConditionsService } from './form-conditions.service.js';

@Module({
  imports: [FormsModule, SubmissionsModule],
  controllers: [ConditionsController, FormConditionsController],
  providers: [ConditionsService, FormConditionsService],
})
export class ConditionsModule {}
