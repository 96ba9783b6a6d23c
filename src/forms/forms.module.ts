import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { EntityDefinition } from './entities/entity-definition.js';
import { FieldRule } from './entities/field-rule.js';
import { FieldType } from './entities/field-type.js';
import { Field } from './entities/field.js';
import { Form } from './entities/form.js';
import { Option } from './entities/option.js';
import { Step } from './entities/step.js';
import { FormsController } from './forms.controller.js';
import { FormsService } from './forms.service.js';
import { PublishedFormsService } from './published-forms.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Form, Step, Field, FieldType, FieldRule, Option, EntityDefinition])],
  controllers: [FormsController],
  providers: [FormsService, PublishedFormsService],
  exports: [PublishedFormsService],
})
export class FormsModule {}
