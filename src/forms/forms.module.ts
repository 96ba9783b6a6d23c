import { Module } from '@nestjs/common';
import { FormVersionsService } from './form-versions.service.js';
import { FormsController } from './forms.controller.js';
import { FormsService } from './forms.service.js';
import { PublishedFormsService } from './published-forms.service.js';

@Module({
  controllers: [FormsController],
  providers: [FormsService, FormVersionsService, PublishedFormsService],
  exports: [FormVersionsService, PublishedFormsService],
})
export class FormsModule {}
