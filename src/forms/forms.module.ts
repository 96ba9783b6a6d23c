import { Module } from '@nestjs/common';
import { FormsController } from './forms.controller.js';
import { FormsService } from './forms.service.js';
import { PublishedFormsService } from './published-forms.service.js';

@Module({
  controllers: [FormsController],
  providers: [FormsService, PublishedFormsService],
  exports: [PublishedFormsService],
})
export class FormsModule {}
