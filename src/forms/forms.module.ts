import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { FormExtenders } from './form-extenders.js';
import { FormVersionsService } from './form-versions.service.js';
import { FormsController } from './forms.controller.js';
import { FormsService } from './forms.service.js';
import { PublishedFormsService } from './published-forms.service.js';

@Module({
  imports: [DiscoveryModule],
  controllers: [FormsController],
  providers: [FormsService, FormExtenders, FormVersionsService, PublishedFormsService],
  exports: [FormVersionsService, PublishedFormsService],
})
export class FormsModule {}
